"""Openings: words that a sentence begins with where it goes on from the one before. Not English.

A pronoun, a demonstrative, a connective, or a verb of saying whose subject was left out. English
has its own list (`maxcover.text.words.wordlists`) and a model; elsewhere these alone say that an
editor would rather take another sentence.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maxcover.text.words.languages import Language

MOST_WORDS = 4
"""Words of an opening."""

_AHEAD = 60
_BEFORE = "\"'“”„‟‘’«»‹›([{¿¡*_- \u200e\u200f"
_BEHIND = ",:;!?…\"'“”’»›)]،؛"
# Arabic is written with and without the signs above and below alef.
_ONE_LETTER = (
    ("أ", "ا"),
    ("إ", "ا"),
    ("آ", "ا"),
    ("ى", "ي"),
    ("\N{RIGHT SINGLE QUOTATION MARK}", "'"),
)

# Openings apart by commas.
_OPENINGS: dict[str, str] = {
    "arabic": """
        هو, هي, هم, هما, هذا, هذه, هؤلاء, ذلك, تلك, أولئك, وهو, وهي, وهم, وهذا, وهذه, وذلك, وتلك,
        لكن, ولكن, لكنه, ولكنه, لكنها, ولكنها, كما, وكما, أيضا, لذلك, ولذلك, لذا, بالتالي,
        وبالتالي, ثم, حيث, كذلك, وكذلك, مع ذلك, ومع ذلك, بالإضافة إلى ذلك, وبالإضافة إلى ذلك,
        علاوة على ذلك, وعلاوة على ذلك, من ناحية أخرى, ومن ناحية أخرى, في الوقت نفسه,
        وفي الوقت نفسه, بعد ذلك, وبعد ذلك, نتيجة لذلك, ونتيجة لذلك, على سبيل المثال,
        وعلى سبيل المثال, غير أن, إلا أن, وأضاف, وأضافت, وأضافوا, وقال إن, وقال إنه, وقالت إن,
        وقالت إنها, وقال أن, وقال أنه, وأشار إلى, ويأتي هذا, ويأتي ذلك, وجاء ذلك, وجاء هذا,
        وكان ذلك, وكان هذا, في هذا, في هذه
    """,
    "czech": """
        on, ona, ono, oni, ony, to, ten, ta, ti, ty, tento, tato, toto, tito, tyto, tohoto, této,
        těchto, tomuto, tomu, tím, jeho, její, jejich, ale, však, avšak, a, i, nicméně, přesto,
        proto, tedy, tudíž, také, rovněž, navíc, dále, potom, pak, poté, mezitím, tak, takto,
        kromě toho, na druhou stranu, podle něj, podle něho, podle ní, podle nich, v tomto,
        v této, při tom, místo toho, naopak, například, ovšem, přitom, řekl že, řekla že,
        řekli že, uvedl že, uvedla že, uvedli že, dodal, dodala, dodali, prohlásil že,
        prohlásila že, oznámil že
    """,
    "danish": """
        han, hun, dette, disse, hans, hendes, deres, dens, dets, men, og, dog, også, derfor,
        desuden, derimod, derefter, imidlertid, dermed, det er, det var, det sker, det skriver
    """,
    "dutch": """
        hij, zij, ze, dit, dat, deze, die, hun, haar, zijn, echter, maar, en, want, dus, daarom,
        daardoor, daarmee, daarna, daarbij, daarvoor, daarnaast, daarop, bovendien, verder, ook,
        toch, niettemin, desondanks, intussen, ondertussen, vervolgens, tevens, bijvoorbeeld,
        aan de andere kant, als gevolg daarvan, in dat, in die, in deze, volgens hem,
        volgens haar, volgens hen, velen van hen, beide, het is, het gaat
    """,
    "finnish": """
        hän, he, se, ne, tämä, nämä, tuo, hänen, heidän, sen, niiden, mutta, ja, kuitenkin, myös,
        siksi, lisäksi, sitten, silti, toisaalta, sen sijaan, esimerkiksi, tällä, näin
    """,
    "french": """
        il, elle, ils, elles, ce, cet, cette, ces, cela, ceci, ça, c'est, c'était, ceux, celui,
        celle, celles, celui-ci, celle-ci, ceux-ci, celles-ci, son, sa, ses, leur, leurs, mais,
        et, ou, donc, or, ni, car, cependant, toutefois, néanmoins, pourtant, ainsi, aussi, alors,
        puis, ensuite, enfin, également, d'ailleurs, de plus, en outre, par ailleurs,
        par conséquent, en conséquence, en effet, par exemple, en revanche, au contraire,
        d'autre part, de l'autre, de même, c'est pourquoi, malgré cela, tandis que, s'il, s'ils,
        selon lui, selon elle, selon eux, parmi eux, parmi elles, dans ce, dans cette, dans ces,
        à cet, à cette, pour cela, après cela, depuis lors, d'autres, les autres, l'autre,
        y compris, lui aussi
    """,
    "german": """
        er, sie, es, ihm, ihn, ihr, ihre, ihren, ihrem, ihrer, sein, seine, seinen, seinem,
        seiner, dies, diese, dieser, dieses, diesen, diesem, dafür, dagegen, damit, danach,
        daraus, darauf, darin, darüber, darum, davon, davor, dazu, dabei, dadurch, daher, dann,
        deshalb, deswegen, demnach, außerdem, zudem, ferner, überdies, jedoch, allerdings, aber,
        doch, dennoch, trotzdem, und, oder, denn, sondern, also, somit, folglich, infolgedessen,
        inzwischen, unterdessen, stattdessen, hingegen, andererseits, anschließend, ebenso,
        ebenfalls, auch, beide, letztere, solche, dort, hinzu kommt, zum beispiel, in diesem,
        in dieser, in diesen, aus diesem, nach diesem, nach dieser, bei diesem, auf diese,
        das ist, das sind, das war, das waren, das wird, das teilte, das geht, das sagte, das hat,
        das bedeutet, das heißt, das gilt, das kann, das soll, das liegt, das zeigt,
        viele von ihnen
    """,
    "greek": """
        αυτός, αυτή, αυτό, αυτοί, αυτές, αυτά, αυτού, αυτής, αυτών, αυτόν, αυτήν, αυτούς, εκείνος,
        εκείνη, εκείνο, ο ίδιος, η ίδια, οι ίδιοι, αλλά, όμως, ωστόσο, εντούτοις, παρόλα αυτά,
        παρ' όλα αυτά, επίσης, επιπλέον, επομένως, συνεπώς, έτσι, και, μετά από αυτό,
        εν τω μεταξύ, στο μεταξύ, εντωμεταξύ, αντίθετα, δηλαδή, για παράδειγμα, ακόμη, τότε, εκεί,
        είπε ότι, είπε πως, δήλωσε ότι, δήλωσε πως, πρόσθεσε ότι, πρόσθεσε πως, σε αυτό, σε αυτή,
        σε αυτήν, σύμφωνα με αυτό, ως εκ τούτου, από την άλλη
    """,
    "hebrew": """
        הוא, היא, הם, הן, זה, זו, זאת, אלה, אלו, אותו, אותה, לכן, אבל, אך, אולם, ואולם, למרות זאת,
        עם זאת, יחד עם זאת, בנוסף, בנוסף לכך, כמו כן, גם, לעומת זאת, מצד שני, לאחר מכן, אחר כך,
        כתוצאה מכך, לפיכך, בינתיים, כך, לדבריו, לדבריה, לדבריהם, לפי דבריו, על פי דבריו,
        יתר על כן, מאוחר יותר, כעת הוא, כעת היא, כעת הם, מטרתו, מטרתה, מטרתם, לדוגמה, לדוגמא,
        והוא, והיא, אז, מלבד זאת, אף על פי כן, בכל זאת, שם, מכאן
    """,
    "hindi": """
        यह, वह, ये, वे, इस, इन, उस, उन, इसे, उसे, इसमें, उसमें, इससे, उससे, इसके, इसका, इसकी, उसके, उसका,
        उसकी, उनके, उनका, उनकी, इनके, इनका, इनकी, इन्हें, उन्हें, इन्होंने, उन्होंने, उन्होने, उसने, इसने, इनमें, उनमें,
        इसलिए, लेकिन, परन्तु, परंतु, किन्तु, किंतु, मगर, हालांकि, हालाँकि, तथापि, फिर, साथ ही, जबकि, और, तथा,
        एवं, बाद में, इसी, उसी, ऐसे, ऐसा, ऐसी, वहीं, वहाँ, वहां, यहाँ, यहां, अतः, तब, दूसरी ओर, दूसरी तरफ,
        इस बीच, पर अब
    """,
    "italian": """
        egli, ella, esso, essa, essi, esse, lui, lei, loro, questo, questa, questi, queste,
        quello, quella, quelli, quelle, ciò, inoltre, tuttavia, però, ma, e, anche, così, quindi,
        perciò, dunque, infatti, invece, poi, pertanto, comunque, intanto, nel frattempo,
        per questo, per esempio, ad esempio, al contrario, d'altra parte, di conseguenza, il suo,
        la sua, i suoi, le sue, il loro, la loro, i loro, le loro, lo ha, lo hanno, lo si,
        lo dice, lo riferisce, in questo, in questa, molti di loro, molte di loro, secondo lui,
        secondo lei
    """,
    "korean": """
        그는, 그가, 그의, 그녀는, 그녀가, 그녀의, 그들은, 그들이, 그들의, 그들, 이는, 이를, 이에,
        이로써, 이것은, 이것이, 그것은, 그것이, 이들은, 이들, 이, 그, 저, 이런, 그런, 이러한,
        그러한, 이같은, 그러나, 하지만, 그리고, 또, 또한, 그래서, 따라서, 그러므로, 그런데, 다만,
        한편, 이어, 이에 따라, 그럼에도, 즉, 예를 들어, 반면, 이후
    """,
    "norwegian": """
        han, hun, dette, disse, hans, hennes, deres, dens, dets, men, og, likevel, også, derfor,
        dessuten, derimod, deretter, imidlertid, dermed, det er, det var, det skriver
    """,
    "polish": """
        on, ona, ono, oni, one, to, ten, ta, te, ci, tego, tej, tych, temu, tym, jego, jej, ich,
        ale, lecz, jednak, jednakże, a, i, więc, zatem, dlatego, ponadto, również, także, też,
        natomiast, tymczasem, następnie, potem, poza tym, oprócz tego, z kolei, dzięki temu,
        w związku z tym, mimo to, na przykład, w rezultacie, dodał, dodała, powiedział że,
        powiedziała że, wynika to, poinformował o tym, poinformowała o tym, według niego,
        według niej, wielu z nich, w tym
    """,
    "portuguese": """
        ele, ela, eles, elas, isto, isso, aquilo, este, esta, estes, estas, esse, essa, esses,
        essas, seu, sua, seus, suas, o seu, a sua, os seus, as suas, mas, e, porém, contudo,
        todavia, entretanto, assim, também, portanto, logo, então, depois, além disso, no entanto,
        por isso, por exemplo, por outro lado, com isso, em seguida, enquanto isso, dessa forma,
        desta forma, neste, nesta, nesse, nessa, muitos deles, segundo ele, segundo ela, é o que
    """,
    "russian": """
        он, она, оно, они, это, этот, эта, эти, этого, этой, этих, этим, этому, тот, та, те, его,
        ее, её, их, им, ему, но, а, и, однако, поэтому, также, затем, потом, впрочем, зато, ведь,
        так, например, тогда, там, туда, кроме того, при этом, в то же время, тем не менее,
        таким образом, тем самым, об этом, в результате, в частности, в свою очередь,
        по его словам, по её словам, по ее словам, по их словам, вместе с тем, к тому же,
        более того, между тем, добавил, добавила, сообщил что, сказал что, заявил что,
        заявила что, в этом, в этой, в этих, для этого, после этого, многие из них
    """,
    "spanish": """
        él, ella, ellos, ellas, ello, esto, eso, aquello, este, esta, estos, estas, ese, esa,
        esos, esas, éste, ésta, éstos, éstas, su, sus, lo, pero, y, e, o, sino, sin embargo,
        no obstante, además, también, así, entonces, luego, después, asimismo, tampoco, por eso,
        por ello, por esto, por lo tanto, por tanto, por consiguiente, por ejemplo, por otro lado,
        por otra parte, por su parte, con ello, con esto, en cambio, es decir, mientras tanto,
        en este, en esta, en estos, en estas, en ese, en esa, de este, de esta, a su vez,
        según él, según ella, muchos de ellos, muchas de ellas
    """,
    "swedish": """
        han, hon, detta, dessa, denna, hans, hennes, deras, dess, men, och, dock, också, därför,
        dessutom, däremot, därefter, emellertid, därmed, det är, det var, det skriver
    """,
    "turkish": """
        o, bu, şu, bunlar, onlar, bunun, bunu, buna, bunda, bundan, onun, onu, ona, onların,
        onları, bunların, böyle, böylece, ancak, ama, fakat, lakin, ayrıca, üstelik, dolayısıyla,
        oysa, ve, örneğin, sonra, daha sonra, kendisi, yine de, öte yandan, buna karşın
    """,
}
# Words behind one word of an opening that make it another thing: a time, "there is", "so-called".
_UNLESS: dict[str, str] = {
    "arabic": "العام الأسبوع الشهر الصباح المساء اليوم الصيف الشتاء",
    "czech": "týden rok měsíc den ráno večer léto zimu pondělí úterý středu čtvrtek pátek sobotu "
    "neděli týdnu roce měsíci když co zvaný zvaná zvané",
    "dutch": "week jaar maand zomer winter ochtend avond middag maandag dinsdag woensdag donderdag "
    "vrijdag zaterdag zondag keer",
    "french": "année semaine mois matin soir nuit après-midi été hiver printemps automne week-end "
    "lundi mardi mercredi jeudi vendredi samedi dimanche jour y qui que",
    "german": "woche jahr jahres monat tage sommer winter frühjahr herbst mal montag dienstag "
    "mittwoch donnerstag freitag samstag sonntag gibt gab",
    "greek": "την τη τον",
    "hindi": "वर्ष साल सप्ताह हफ्ते हफ़्ते महीने माह",
    "italian": "anno settimana mese mattina sera notte estate inverno volta pomeriggio lunedì "
    "martedì mercoledì giovedì venerdì sabato domenica",
    "polish": "tydzień tygodniu rok roku miesiąc miesiącu lato zimę rano",
    "portuguese": "ano semana mês manhã tarde noite verão inverno segunda-feira terça-feira "
    "quarta-feira quinta-feira sexta-feira sábado domingo vez",
    "russian": "год году года неделе неделю месяце лето летом называемый называемая называемое "
    "называемые",
    "spanish": "año semana mes mañana tarde noche verano invierno primavera otoño lunes martes "
    "miércoles jueves viernes sábado domingo vez que",
    "turkish": "yıl hafta ay sabah akşam yaz kış gece",
}
# Of languages without spaces between words, and what makes the same signs another word.
_UNSPACED: dict[str, tuple[str, str]] = {
    "chinese": (
        "他 她 它 这 该 此 但 然而 不过 因此 所以 同时 另外 而 并 其 那个 那些 那里 那么 "
        "那是 也 还有 于是 随后 接着 例如 总之 相反 与此 对此 为此 由此",
        "但丁 其他国家 并州 他国 这一年 此次 该年",
    ),
    "japanese": (
        "これ それ この その こう そう ここ そこ あれ あの 彼は 彼が 彼の 彼女 彼ら しかし "
        "だが また、 そして 一方 さらに なお、 ただし ただ、 したがって つまり 例えば "
        "たとえば 同社 同氏 同市 同省 同庁 同日 同署 同県 ところが でも、 まず、 次に 両社 "
        "両国 両氏 もっとも、 ちなみに すると",
        "これまで これから この夏 この冬 この秋 この春 このほど この年 そうめん",
    ),
}


def find_leaning(
    said: Sequence[str], language: Language, among: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Find sentences that begin by going on from another one.

    Parameters
    ----------
    said : sequence of str
        Sentences.
    language : Language
        Theirs; one without a list has none of them.
    among : int64 array
        Those asked about, ascending.

    Examples
    --------
    >>> from maxcover.text.words.languages import find_language
    >>> said = ["Cependant, le port reste fermé.", "Cette année le port est fermé.", "Le port."]
    >>> find_leaning(said, find_language("fr"), np.arange(3)).tolist()
    [0]
    """
    name = language.name
    if name not in _OPENINGS and name not in _UNSPACED:
        return np.zeros(0, np.int64)
    return np.array([row for row in among.tolist() if _leans(said[row], name)], np.int64)


def _leans(text: str, name: str) -> bool:
    if name in _UNSPACED:
        openings, unless = _read_unspaced(name)
        start = text[:_AHEAD].lstrip(_BEFORE + "「『　")
        return start.startswith(openings) and not start.startswith(unless)
    known, besides = _read(name)
    words = [word.strip(_BEHIND) for word in _fold(text[:_AHEAD]).lstrip(_BEFORE).split()]
    if not words:
        return False
    if words[0] in known and not (len(words) > 1 and words[1] in besides):
        return True
    return any(" ".join(words[:count]) in known for count in range(2, MOST_WORDS + 1))


def _fold(text: str) -> str:
    text = text.casefold()
    for written, meant in _ONE_LETTER:
        text = text.replace(written, meant)
    return text


@cache
def _read(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Give the openings of a language, and the words that are no openings behind them."""
    known = {" ".join(one.split()) for one in _fold(_OPENINGS[name]).split(",")}
    return frozenset(known), frozenset(_fold(_UNLESS.get(name, "")).split())


@cache
def _read_unspaced(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    openings, unless = _UNSPACED[name]
    return tuple(openings.split()), tuple(unless.split())
