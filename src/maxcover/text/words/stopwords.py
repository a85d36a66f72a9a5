"""Stop words: articles, pronouns, prepositions, conjunctions and auxiliaries, by language.

Short on purpose: a word that can be the subject of a text (*state*, *computer*) is none of them.
"""

from collections.abc import Collection
from functools import cache

from maxcover.text.words.languages import Language

_LISTS: dict[str, str] = {
    "english": """
        a an the this that these those
        i me my mine myself we us our ours ourselves you your yours yourself yourselves
        he him his himself she her hers herself it its itself they them their theirs themselves
        who whom whose which what where when why how
        one ones someone something anyone anything everyone everything no none nothing nobody
        some any each every both either neither all few many much more most other others another
        such own same several
        about above across after against along among around as at before behind below beneath
        beside between beyond by down during except for from in inside into like near of off on onto
        out outside over past per since through throughout till to toward towards under until up
        upon via with within without
        and or but nor so yet if because although though while whereas unless than whether
        be am is are was were been being have has had having do does did doing done
        can could may might must shall should will would ought
        not don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't
        can't cannot couldn't shouldn't mustn't
        i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd she'd we'd
        they'd i'll you'll he'll she'll it'll we'll they'll that's there's what's who's here's let's
        there here then now again also too very just only even still once ever never almost quite
        rather s t
    """,
    "german": """
        der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner
        ich mich mir mein meine meinen meinem meiner du dich dir dein deine er ihn ihm sein seine
        seinen seinem seiner sie ihr ihre ihren ihrem ihrer es wir uns unser unsere euch euer sich
        man selbst dieser diese dieses diesen diesem jener jene jenes jeder jede jedes alle allen
        aller alles manche mehrere einige viel viele wenig andere anderen welche welcher welches
        wer wen wem wessen was wo wann warum wie
        in im ins an am ans auf aus bei beim bis durch für gegen hinter mit nach neben ohne seit
        über um unter von vom vor während wegen zu zum zur zwischen
        und oder aber denn sondern dass ob weil wenn als obwohl damit falls sowie weder noch
        bin bist ist sind seid war waren wäre gewesen habe hast hat haben hatte hatten hätte
        werde wird werden wurde wurden worden würde kann können konnte muss müssen musste soll
        sollen sollte will wollen wollte darf dürfen durfte mag möchte lassen
        nicht nichts nur auch schon noch sehr so da dort hier dann doch ja nein nun jetzt immer nie
        wieder mehr etwa also
    """,
    "french": """
        le la les l un une des du de d au aux ce cet cette ces c
        je j me m moi mon ma mes tu te t toi ton ta tes il elle on nous vous ils elles lui leur
        leurs eux se s soi son sa ses notre nos votre vos y en
        qui que qu quoi dont où lequel laquelle lesquels lesquelles quel quelle quels quelles
        tout toute tous toutes autre autres même mêmes aucun aucune chaque plusieurs quelque
        quelques tel telle certains certaines celui celle ceux celles cela ça ceci
        à dans sur sous par pour avec sans chez entre vers contre depuis pendant avant après
        devant derrière dès jusque selon malgré
        et ou mais donc or ni car si comme quand lorsque puisque parce
        suis es est sommes êtes sont était étaient être été étant sera serait fut soit ai as a avons
        avez ont avait avaient avoir eu aura aurait fait faire peut peuvent pouvoir doit doivent
        ne n pas plus moins très trop aussi bien encore déjà toujours jamais ici là alors ainsi puis
    """,
    "spanish": """
        el la los las lo un una unos unas al del
        yo me mi mí mis tú te ti tu tus él ella ello ellos ellas usted ustedes nosotros nosotras
        vosotros nos os le les se sí su sus nuestro nuestra nuestros nuestras vuestro
        este esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos aquellas
        que qué quien quién quienes cual cuál cuales cuyo donde dónde cuando cuándo como cómo
        todo toda todos todas otro otra otros otras mismo misma algún alguno alguna algunos algunas
        ningún ninguno ninguna cada mucho mucha muchos muchas poco pocos varios algo nada
        a ante bajo con contra de desde durante en entre hacia hasta para por según sin sobre tras
        y e o u pero sino ni si porque pues aunque mientras
        soy es somos son era eran fue fueron ser sido siendo será sería sea estoy está estamos están
        estaba estaban estar estado he ha hemos han había habían haber hay hubo tiene tienen tenía
        puede pueden debe deben
        no más menos muy tan tanto también ya aún todavía siempre nunca aquí allí así entonces luego
    """,
    "italian": """
        il lo la i gli le l un uno una del dello della dei degli delle dell al allo alla ai agli
        alle all dal dallo dalla dai dagli dalle dall nel nello nella nei negli nelle nell sul sullo
        sulla sui sugli sulle sull
        io me mi mio mia miei mie tu te ti tuo tua tuoi tue lui lei egli ella esso essa noi ci
        nostro nostra nostri nostre voi vi vostro vostra loro si sé suo sua suoi sue ne
        questo questa questi queste quest quello quella quelli quelle quei quel quell ciò
        che chi cui quale quali quanto dove quando come perché
        tutto tutta tutti tutte altro altra altri altre stesso stessa ogni alcuni alcune qualche
        nessuno nessuna molto molti molte poco pochi più meno
        di d a da in con su per tra fra senza sotto sopra verso dopo prima durante contro presso
        e ed o od ma se né anche però quindi mentre
        sono sei è siamo siete era erano essere stato stata stati state fu furono sarà sarebbe sia
        ho hai ha abbiamo avete hanno aveva avevano avere avuto può possono deve devono fa fare
        non già ancora sempre mai qui qua lì là così poi molto troppo solo
    """,
    "portuguese": """
        o a os as um uma uns umas ao aos à às do da dos das no na nos nas num numa pelo pela pelos
        pelas dum duma
        eu me mim meu minha meus minhas tu te ti teu tua ele ela eles elas você vocês nós nosso
        nossa nossos nossas vos lhe lhes se si seu sua seus suas
        este esta isto estes estas esse essa isso esses essas aquele aquela aquilo aqueles aquelas
        deste desta disto desse dessa disso neste nesta nesse nessa
        que quem qual quais cujo onde quando como porque porquê
        todo toda todos todas outro outra outros outras mesmo mesma algum alguma alguns algumas
        nenhum nenhuma cada muito muita muitos muitas pouco poucos vários tudo nada algo
        de em por para com sem sob sobre entre até desde durante contra após perante
        e ou mas nem se pois embora enquanto
        sou é somos são era eram foi foram ser sido sendo será seria seja estou está estão estava
        estavam estar tenho tem têm tinha tinham ter tido há havia haver pode podem deve devem
        não mais menos muito tão também já ainda sempre nunca aqui ali lá assim então só
    """,
    "dutch": """
        de het een der des den t
        ik mij me mijn jij je jou jouw jullie u uw hij hem zijn zij ze haar hun hen wij we ons onze
        zich men dit dat deze die
        wie wat welke welk waar wanneer waarom hoe
        alle alles al elk elke ieder iedere iemand niemand iets niets andere ander enkele enige
        veel meer meest weinig sommige zelf
        in op aan uit bij met van voor naar door over onder tot tegen tussen om te sinds tijdens
        zonder na binnen buiten per via
        en of maar want dus noch als dan omdat terwijl toen hoewel zodat indien
        ben bent is was waren geweest wees heb hebt heeft hebben had hadden gehad word wordt worden
        werd werden geworden zal zullen zou zouden kan kunnen kon konden moet moeten moest mag
        mogen wil willen wilde doen doet gaan gaat
        niet geen wel ook nog al nu toch zo zeer er daar hier daarom steeds ooit nooit alleen reeds
    """,
    "swedish": """
        en ett den det de dem dess denna detta dessa
        jag mig min mitt mina du dig din ditt dina han honom hans hon henne hennes vi oss vår vårt
        våra ni er ert era deras sig sin sitt sina man
        som vem vad vilken vilket vilka var vart när varför hur
        all allt alla annan annat andra någon något några ingen inget inga varje samma själv mycket
        många mer mest få
        i på av till från med utan om för vid mellan under över efter före genom mot hos åt ur sedan
        och eller men att så samt därför eftersom medan fast än
        är var vara varit blir blev bli blivit har hade ha haft ska skall skulle kan kunde kunna
        måste vill ville får fick bör
        inte ej icke också redan ännu bara nu då här där alltid aldrig ju upp ut in
    """,
    "danish": """
        en et den det de dem denne dette disse
        jeg mig min mit mine du dig din dit dine han ham hans hun hende hendes vi os vor vores i jer
        deres sig sin sit sine man
        som der hvem hvad hvilken hvilket hvilke hvor hvornår hvorfor hvordan
        al alt alle anden andet andre nogen noget nogle ingen intet hver samme selv meget mange mere
        på af til fra med uden om for ved mellem under over efter før gennem mod hos ud ind op
        og eller men at så samt fordi mens da når hvis end
        er var være været bliver blev blive har havde have haft skal skulle kan kunne må måtte vil
        ville får fik
        ikke også allerede endnu kun nu her altid aldrig jo
    """,
    "norwegian": """
        en et ei den det de dem denne dette disse
        jeg meg min mitt mine mi du deg din ditt dine han ham hans hun henne hennes vi oss vår vårt
        våre dere deres seg sin sitt sine man
        som hvem hva hvilken hvilket hvilke hvor når hvorfor hvordan
        all alt alle annen annet andre noen noe ingen intet hver samme selv mye mange mer mest
        i på av til fra med uten om for ved mellom under over etter før gjennom mot hos ut inn opp
        og eller men at så samt fordi mens da hvis enn
        er var være vært blir ble bli blitt har hadde ha hatt skal skulle kan kunne må måtte vil
        ville får fikk bør
        ikke også allerede ennå bare nå her der alltid aldri jo
    """,
    "finnish": """
        minä minun minut minua sinä sinun sinut hän hänen hänet häntä me meidän meitä te teidän
        teitä he heidän heitä se sen sitä siitä siinä siihen sillä ne niiden niitä tämä tämän tätä
        tässä nämä näiden tuo tuon ne joka jonka jota jossa johon jotka joiden mikä minkä mitä missä
        kuka kenen ketä itse oma kaikki kaikkien jokainen jokin joku jotain muu muut muiden sama
        monta moni ja tai vai mutta vaan sekä että jos kun koska vaikka kuin jotta olla olen olet on
        olemme olette ovat oli olivat ollut olleet olisi ole voi voivat voisi pitää täytyy saa ei en
        et emme ette eivät älä kanssa ilman ennen jälkeen aikana mukaan vuoksi kautta yli alla myös
        vielä jo nyt sitten niin näin vain aina enää hyvin noin
    """,
    "russian": """
        я меня мне мной мой моя моё мое мои ты тебя тебе твой твоя он его ему им нём нем она её ее
        ей ней оно мы нас нам нами наш наша наше наши вы вас вам вами ваш ваша ваши они их ими них
        себя себе собой свой своя своё свое свои своих своей своего
        этот эта это эти этого этой этих этом тот та то те того той тех том такой такая такие так
        кто кого кому что чего чему чем который которая которое которые которого которой которых
        какой какая какие где куда когда почему как сколько
        весь вся всё все всего всей всех другой другая другие сам сама само сами каждый любой
        некоторые никто ничего ни
        в во на с со к ко по из изо от до у о об обо за для при про через без над под между перед
        после около среди против
        и или но а да же ли бы если чтобы потому хотя пока чем тоже также
        быть был была было были есть будет будут буду будем может могут мог можно надо нужно нет не
        ещё еще уже только очень тут там здесь теперь тогда всегда никогда вот даже лишь более
    """,
    "polish": """
        ja mnie mi mną mój moja moje ty ciebie ci tobie twój twoja on jego go jemu mu nim ona jej ją
        nią ono my nas nam nami nasz nasza nasze wy was wam wasz oni one ich im nich się siebie
        sobie swój swoja swoje swoich
        ten ta to ci te tego tej tych tym tamten tamta taki taka takie
        kto kogo komu co czego czemu który która które którzy którego której których jaki jaka jakie
        gdzie kiedy dlaczego jak ile
        wszystko wszyscy wszystkie inny inna inne sam sama każdy każda żaden nikt nic
        w we na z ze do od po za o przy dla przez bez nad pod między przed u wśród
        i oraz a ale lub albo ani że żeby aby jeśli gdy bo więc choć czy niż
        być był była było były jest są będzie będą może mogą można ma mają miał
        nie też także już jeszcze tylko bardzo tu tam teraz zawsze nigdy tak właśnie
    """,
    "czech": """
        já mě mne mi mně můj moje ty tě tebe ti tobě tvůj tvoje on jeho ho jemu mu něj něm ona ji jí
        její my nás nám náš naše vy vás vám váš vaše oni ony jich jim jejich se si sebe svůj své
        svou svého
        ten ta to tento tato toto tyto těchto ti tu toho tomu tom tím té těch těm tam tady zde
        kdo co kdy kde jak jaký jaká jaké který která které kteří kterou kterého proč kolik
        každý každá každé všichni všechny všech vše některý některé žádný jiný jiné sám
        v ve na z ze s se k ke o u od do po pro při před přes za pod nad mezi bez kolem podle
        proti během kvůli
        a i nebo ani ale však že aby když pokud protože než jako tak tedy proto ať
        být je jsem jsi jsme jste jsou byl byla bylo byli byly bude budou by bych není nejsou má
        mají měl může mohou
        ne už ještě jen jenom také též velmi více méně pak nyní teď stále
    """,
    "greek": """
        ο η το οι τα του της των τον την τους τις ένας μια μία ένα ενός μιας
        εγώ εμένα με μου εσύ σε σου αυτός αυτή αυτό αυτοί αυτές αυτά αυτού αυτής αυτών εμείς μας
        εσείς σας δικό
        που ποιος ποια ποιο ποιοι πότε πού πώς πως γιατί τι όποιος όπου όταν όπως
        κάθε όλα όλοι όλες κάποιος κάποια κάποιο μερικά κανένας κανείς τίποτα άλλος άλλη άλλο άλλοι
        σε στο στη στην στον στα στις στους στου στης από για με χωρίς κατά μετά πριν προς μεταξύ
        μέχρι ως κάτω πάνω μέσα έξω παρά υπό
        και κι ή ούτε αλλά όμως αν ενώ επειδή ώστε ότι να θα δεν μη μην ας
        είμαι είσαι είναι είμαστε είστε ήταν ήμουν έχω έχει έχουν είχε είχαν μπορεί μπορούν
        πιο πολύ πολλά λίγο επίσης ακόμη ακόμα μόνο τώρα εδώ εκεί πάντα ποτέ ήδη τότε έτσι
    """,
    "hebrew": """
        אני אתה את הוא היא אנחנו אנו אתם אתן הם הן אותי אותך אותו אותה אותנו אותם אותן
        שלי שלך שלו שלה שלנו שלכם שלהם של לי לך לו לה לנו לכם להם בו בה בהם
        זה זאת זו אלה אלו ההוא ההיא הזה הזאת
        מי מה מתי איפה היכן איך למה מדוע כמה איזה אשר
        כל כמה רבים אחר אחרת אחרים אחד אחת שום אף
        על אל עם מן אצל בין תחת מעל לפני אחרי אחר נגד בלי ללא עד כמו לפי בגלל מול דרך
        ו או גם אבל אך אלא אם כי כדי לכן כאשר בעוד אילו
        היה הייתה היו להיות יהיה תהיה יהיו יש אין הינו הינה
        לא כן רק עוד כבר מאוד יותר פחות שוב עכשיו כאן שם אז תמיד אולי כך
    """,
    "hindi": """
        मैं मुझे मेरा मेरी मेरे हम हमें हमारा हमारी हमारे तुम तुम्हें तुम्हारा आप आपका आपकी आपके वह वे उस
        उसे उसका उसकी उसके उन उन्हें उनका उनकी उनके यह ये इस इसे इसका इसकी इसके इन इन्हें इनका इनकी
        इनके अपना अपनी अपने स्वयं जो जिस जिसे जिसका जिसकी जिसके जिन जिन्हें कौन क्या कब कहाँ कहां कैसे
        क्यों कितना किस कोई कुछ सब सभी हर दूसरे दूसरा अन्य एक
        का की के को से में पर तक ने लिए साथ बाद पहले द्वारा बीच ऊपर नीचे अंदर बाहर बिना ओर तरफ
        और या लेकिन मगर परंतु कि अगर यदि तो क्योंकि जब तब जैसे वैसे इसलिए ताकि
        है हैं हूँ हूं हो था थी थे थीं होगा होगी होंगे होना होने होता होती होते हुआ हुई हुए रहा रही रहे
        गया गई गए कर करना करने करता करते किया की जा जाता सकता सकते सकती चुका
        नहीं न मत भी ही बहुत अधिक कम केवल सिर्फ अब फिर यहाँ यहां वहाँ वहां
    """,
    "turkish": """
        ben beni bana benim sen seni sana senin o onu ona onun biz bizi bize bizim siz sizi size
        sizin onlar onları onların kendi bu bunu buna bunun şu şunu bunlar şunlar
        kim kimi ne neyi hangi nerede nasıl neden niçin kaç
        her hep hepsi bütün tüm bazı birçok birkaç başka diğer aynı hiç hiçbir şey bir
        ile için gibi kadar göre karşı sonra önce beri doğru üzere dolayı rağmen içinde arasında
        ve veya ya da de ama fakat ancak ki eğer çünkü hem ise
        mı mi mu mü değil var yok idi imiş olan olarak oldu olur olduğu
        çok daha en az pek şimdi artık yine bile sadece yalnız
    """,
}

# Of languages without a list: words that are nothing to show a reader. They weigh like any other,
# because a list of Arabic cost more than it gave.
_HIDDEN: dict[str, str] = {
    "arabic": """
        في من إلى الى على علي عن أن ان إن أنه انه إنه أنها انها إنها أنهم انهم إنهم هذا هذه ذلك
        تلك التي الذي الذين اللذين ما مع قد كان كانت كانوا يكون تكون لم لن لا ليس كما بعد قبل حين
        بين عند حيث أو او ثم هو هي هم نحن أنا كل بما عنهم عليهم عليه عليها عنه عنها منها منه منهم
        فيه فيها به بها لها له لهم بأن وأن وان وقد ولم ولا وفي ومن وعلى حتى أي اي غير بعض أيضا
        ايضا تم يتم لكن ولكن إذا اذا خلال حول ضد نحو لدى منذ وهو وهي ال أجل اجل وقال قال وقالت
        قالت إلا الا أكثر اكثر قائلا
    """,
    "korean": """
        이 그 저 것 수 등 및 약 두 한 세 네 또 더 이런 그런 이러한 그러한 그는 그녀는 그들은 그의
        이는 이를 있다 있는 없다 했다 한다 된다 됐다 때 때문에 위해 대해 따라 통해 함께 다시 모두
        가장 매우 여러
    """,
}


def find_hidden(language: Language) -> frozenset[str]:
    """Return words without content of a language that has no stop words, case-folded."""
    return frozenset(_HIDDEN.get(language.name, "").casefold().split())


#: The stop words of each language that has a list, case-folded.
STOP_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(words.casefold().split()) for name, words in _LISTS.items()
}


def find_stop_words(stop_words: bool | Collection[str], language: Language) -> frozenset[str]:
    """Decide which words to leave out.

    Parameters
    ----------
    stop_words : bool or collection of str
        True for the language's own list (none for a language without one), False for none. Japanese
        is read in pairs of characters: those in hiragana alone are endings and particles.
    language : Language

    Examples
    --------
    >>> from maxcover.text.words.languages import find_language
    >>> sorted(find_stop_words(["The", "A"], find_language("en")))
    ['a', 'the']
    """
    if stop_words is True and language.name == "japanese":
        return _pairs_of_hiragana()
    if stop_words is True:
        return STOP_WORDS.get(language.name, frozenset())
    return frozenset(word.casefold() for word in stop_words or ())


@cache
def _pairs_of_hiragana() -> frozenset[str]:
    letters = [chr(code) for code in range(0x3041, 0x3097)]
    return frozenset(letters).union(a + b for a in letters for b in letters)
