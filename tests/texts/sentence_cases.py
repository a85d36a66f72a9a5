"""Hand-made sentence-splitting cases: (language, kind, text with ¶ where a sentence should end).

List markers and quote marks at the beginning of a line are not compared, so that splitters which
keep them are not at a disadvantage: see `expected` and `bare`.
"""

import re

CASES: list[tuple[str, str, str]] = [
    # --- English
    ("en", "abbreviation", "Dr. Smith met Mrs. Jones at 5 p.m. on Friday.¶ They talked."),
    ("en", "abbreviation", "It is sold by Acme Inc. and others, e.g. in Ohio.¶ Prices vary."),
    ("en", "abbreviation", "See Fig. 3 and pp. 12-14 of vol. 2 for details.¶ The rest is simple."),
    ("en", "abbreviation", "J. R. R. Tolkien wrote it.¶ C. S. Lewis read it."),
    ("en", "abbreviation", "The U.S. Senate voted on Jan. 5 without debate.¶ The bill passed."),
    ("en", "abbreviation", "They spread anti-U.S. and pro-U.N. slogans.¶ The bill passed."),
    ("en", "abbreviation", "Gen. Lee et al. measured 5.5 percent.¶ No. 7 was left out."),
    (
        "en",
        "abbreviation",
        "He moved to Washington, D.C. in 1990.¶ She stayed in the U.K. until May.",
    ),
    ("en", "number", "It has two USB 2. 0 ports and a 15. 4 inch screen.¶ It is light."),
    ("en", "code", "It wraps the private `!_make_it()` function.¶ Use the `!` operator."),
    ("en", "code", "It writes ./htmlcov/index.html for you.¶ Links point to ../stow/perl now."),
    ("en", "number", "The share rose to 12.¶ 300 people came in 2007."),
    ("en", "quotes", 'She said, "I am here."¶ Then she left.'),
    ("en", "quotes", '"Stop! Who is there?" he cried.¶ Nobody answered.'),
    ("en", "quotes", "“We won,” the coach said.¶ “It was close.”"),
    ("en", "quotes", "He called it 'a mess.'¶ Others agreed."),
    ("en", "brackets", "The result (see Table 2.) is clear.¶ We go on."),
    ("en", "ellipsis", "Well... I am not sure.¶ Perhaps."),
    ("en", "ellipsis", "He waited … and waited.¶ Nothing came."),
    ("en", "url", "Visit https://example.org/a.html?x=1.2 today.¶ It is free."),
    ("en", "url", "The server returns w3c_home.PNG to all.¶ Others get a .HTM file from Kynn.COM."),
    ("en", "code", "Doc goes into typing.Annotated and System.Net.Http.¶ Set it in ~/.Xresources."),
    ("en", "code", "The price was raised.¶The port is old."),
    ("en", "url", "Write to j.doe@example.com or see www.example.com.¶ Thanks."),
    ("en", "number", "Version 3.2.1 costs $4.50.¶ It shipped on 1.5.2020 at last."),
    (
        "en",
        "number",
        "It came on 2024-05-02.¶ We open at 10:30.¶ See pages 3–12.¶ Steps: 1. Open it.",
    ),
    ("en", "marks", "Really?!¶ Yes!!!¶ It works."),
    ("en", "heading", "Results and discussion¶\n\nThe method works well.¶ It is fast."),
    ("en", "heading", "# Introduction¶\nCoverage is hard.¶ We show why."),
    ("en", "heading", "PORT REOPENS AFTER STORM¶\nShips left the port on Monday.¶ Trade resumed."),
    ("en", "list", "You need:¶\n- two eggs¶\n- a cup of milk¶\n- some salt"),
    ("en", "list", "1. Open the box.¶\n2. Take the part out.¶\n3. Close it."),
    ("en", "list", "• First point¶\n• Second point, which is longer¶\n• Third"),
    ("en", "newline", "First paragraph without a stop¶\n\nSecond paragraph.¶\n\nThird one."),
    ("en", "newline", "I like it¶\nGreat screen and battery¶\nWould buy it again"),
    (
        "en",
        "wrapped",
        "The committee met on Tuesday to discuss the plan that had been sent to\n"
        "all members a week before.¶ It was agreed that the harbour should be\n"
        "opened in spring, if the weather allows it and the money is found in\n"
        "time.¶ Nobody objected.",
    ),
    (
        "en",
        "wrapped",
        "This agreement was signed by the representatives of the States\n"
        "of Ohio and Maine.¶ It will be in force until the end of the year and\n"
        "may be prolonged by either side.¶\n\nBoth sides were pleased.",
    ),
    (
        "en",
        "e-mail",
        "> Can you come on Friday?¶\n> I need to know.¶\nYes, I can.¶\nRegards,¶\nAnn",
    ),
    (
        "en",
        "e-mail",
        "On Monday Bob wrote:¶\n> The build fails.¶ It stops at step 3.¶\n\nWhich step, please?",
    ),
    ("en", "abbreviation", "The sum is given in Eq. 3 below.¶ It holds for all of them."),
    ("en", "abbreviation", "It opens at 9 a.m. Monday in London.¶ Doors close at 5 p.m. sharp."),
    ("en", "abbreviation", "A court found Army Spc. John Smith guilty.¶ He was jailed."),
    ("en", "letter", "It runs on Mac OS X.¶ It has no tests.¶ I use R.¶ I have no Word."),
    ("en", "initials", "Ask J. A. Currie or T. I. Amis.¶ They know."),
    ("en", "initials", "This shaped the U. S. economy for years.¶ Then it ended."),
    ("en", "enumeration", "I think there are three levels: 1. Low is enough.¶ High is better."),
    ("en", "lower case", "the screen is great.¶ battery lasts long.¶ would buy again."),
    ("en", "sentence end", "He moved to Washington.¶ The U.S. Senate met.¶ We saw it."),
    # --- German
    ("de", "abbreviation", "Dr. Müller wohnt z. B. in Köln.¶ Er kommt am 3. Mai."),
    ("de", "abbreviation", "Die Firma Meier GmbH & Co. KG zahlt ca. 5 Mio. Euro.¶ Das ist viel."),
    ("de", "abbreviation", "Vgl. dazu Abs. 2, S. 14 ff. des Textes.¶ Dort steht mehr."),
    ("de", "abbreviation", "Prof. Schmidt u. a. haben das gezeigt.¶ Es stimmt d. h. es gilt."),
    ("de", "number", "Am 14. Juli 1789 begann es.¶ Das 20. Jahrhundert kam später."),
    ("de", "quotes", "„Komm her!“, rief sie.¶ Er kam nicht."),
    ("de", "quotes", "Er sagte: „Ich gehe jetzt.“¶ Dann ging er."),
    ("de", "ellipsis", "Nun ja ... das weiß ich nicht.¶ Vielleicht."),
    ("de", "url", "Mehr unter www.beispiel.de/a.b.html im Netz.¶ Bis bald."),
    ("de", "list", "Zutaten:¶\n- zwei Eier¶\n- etwas Salz"),
    ("de", "number", "Im 19. Jahrhundert war das üblich.¶ Heute nicht."),
    ("de", "abbreviation", "Die Fa. Meier liefert morgen.¶ Das reicht."),
    ("de", "number", "Er wohnt in Zimmer 12.¶ Dort ist es ruhig."),
    # --- French
    ("fr", "abbreviation", "M. Dupont et Mme. Martin sont venus.¶ Ils sont partis."),
    ("fr", "abbreviation", "Voir p. 12, etc. pour la suite.¶ C'est clair."),
    ("fr", "quotes", "« Viens ! » dit-elle.¶ Il ne vint pas."),
    ("fr", "quotes", "Il a dit : « Je pars. »¶ Puis il est parti."),
    ("fr", "marks", "Vraiment ?¶ Oui !¶ C'est fini."),
    ("fr", "number", "Le prix est de 3.50 euros.¶ C'est peu."),
    ("fr", "ellipsis", "Eh bien... je ne sais pas.¶ Peut-être."),
    ("fr", "url", "Voir https://exemple.fr/a.b pour plus.¶ Merci."),
    ("fr", "list", "Il faut :¶\n- deux œufs¶\n- du sel"),
    ("fr", "abbreviation", "Selon l'art. 1240 du C. civ. il paie.¶ Il a payé."),
    ("fr", "abbreviation", "Le Dr. Petit est venu.¶ Il est reparti."),
    # --- Spanish
    ("es", "abbreviation", "El Sr. García y la Dra. López llegaron.¶ Hablaron mucho."),
    ("es", "abbreviation", "Viven en la Av. Colón, núm. 5, de EE. UU. desde 1990.¶ Son felices."),
    ("es", "marks", "¿Quién es?¶ ¡No lo sé!¶ Nadie lo sabe."),
    ("es", "quotes", "«Ven aquí», dijo ella.¶ Él no vino."),
    ("es", "quotes", 'Dijo: "Me voy."¶ Y se fue.'),
    ("es", "ellipsis", "Bueno... no lo sé.¶ Quizás."),
    ("es", "url", "Vea www.ejemplo.es/a.b hoy.¶ Gracias."),
    ("es", "list", "Hace falta:¶\n- dos huevos¶\n- sal"),
    # --- Japanese
    ("ja", "marks", "今日は晴れです。¶明日は雨でしょう。¶"),
    ("ja", "marks", "本当ですか？¶はい！¶そうです。"),
    ("ja", "quotes", "彼は「もう帰る。」と言った。¶そして帰った。"),
    ("ja", "number", "価格は3.5ドルです。¶安いです。"),
    ("ja", "url", "https://example.jp/a.b を見てください。¶無料です。"),
    ("ja", "list", "材料：¶\n・卵¶\n・塩"),
    # --- Chinese
    ("zh", "marks", "今天天气很好。¶我们去公园。¶"),
    ("zh", "marks", "真的吗？¶是的！¶没问题。"),
    ("zh", "quotes", "他说：“我走了。”¶然后他走了。"),
    ("zh", "number", "价格是3.5元。¶很便宜。"),
    ("zh", "ellipsis", "他等了又等……没有人来。¶天黑了。"),
    ("zh", "newline", "第一段没有句号¶\n\n第二段。¶还有一句。"),
    # --- Arabic
    ("ar", "marks", "وصل القطار متأخرا.¶ غضب الركاب."),
    ("ar", "marks", "هل أنت هنا؟¶ نعم، أنا هنا.¶"),
    ("ar", "number", "السعر 3.5 دولار.¶ هذا رخيص."),
    ("ar", "abbreviation", "قال د. أحمد إنه سيأتي.¶ لكنه لم يأت."),
    ("ar", "newline", "العنوان الأول¶\n\nهذه جملة.¶ وهذه أخرى."),
    # --- Hindi
    ("hi", "marks", "राम घर गया।¶ सीता बाज़ार गई।"),
    ("hi", "marks", "क्या तुम आओगे?¶ हाँ, मैं आऊँगा।"),
    ("hi", "abbreviation", "डॉ. शर्मा कल आए।¶ वे आज जाएँगे।"),
    ("hi", "number", "कीमत 3.5 रुपये है।¶ यह सस्ता है।"),
    ("hi", "newline", "पहला शीर्षक¶\n\nयह एक वाक्य है।¶ यह दूसरा है।"),
]

_MARKER = re.compile(r"^(?:[>\-•・#\s]|\d\.\s)+")


def text_of(marked: str) -> str:
    return marked.replace("¶", "")


def bare(sentence: str) -> str:
    """Leave out surrounding white space and what marks a line as quoted or as a list item."""
    return _MARKER.sub("", sentence.strip()).strip()


def expected(marked: str) -> list[str]:
    return [bare(sentence) for sentence in marked.split("¶") if sentence.strip()]
