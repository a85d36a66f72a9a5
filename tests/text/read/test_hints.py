"""Blocks without a hint are not matched: no pattern may match one."""

import random
from itertools import product

import numpy as np
import pytest

from maxcover.kernels.outlines import BLOCK
from maxcover.text.read import blocks as labels
from maxcover.text.read import mail, writers
from maxcover.text.read.hints import COLON, FRAME, LABEL, LONGEST_LABEL, NOTICE, POST, find_hints
from maxcover.text.words.codepoints import to_letters
from maxcover.text.words.lists import read_table

# Beginnings, middles and ends of what the patterns know.
FIRST = (
    *(
        "Image",
        "Photo",
        "picture",
        "FIG. 3",
        "figure",
        "Table",
        "Video",
        "Credit",
        "Source",
        "Foto",
    ),
    *(
        "Bild",
        "Abbildung",
        "Tabelle",
        "Quelle",
        "Crédit",
        "Tableau",
        "3 of 7",
        "File photo",
        "(file",
    ),
    *(
        "Monday",
        "Tue",
        "Wed",
        "Thursday",
        "Fri",
        "Saturday",
        "Sun",
        "Published",
        "Updated",
        "Posted",
    ),
    *(
        "12/03",
        "1999",
        "3. Jan",
        "Feb",
        "März",
        "mar",
        "April",
        "Mai",
        "June",
        "Jul",
        "Aug",
        "Sept",
    ),
    *("Oct", "Okt", "Nov", "Dez", "Dec", "By Ann Lee", "Last updated", "--", "___", "====", "****"),
    *(
        "Kind regards",
        "Best",
        "Warm regards",
        "With best regards",
        "Cheers",
        "Thanks",
        "Thx",
        "Many thanks",
    ),
    *(
        "Sincerely",
        "Yours truly",
        "Respectfully",
        "Cordially",
        "Take care",
        "Love",
        "See you soon,",
    ),
    *(
        "Mit freundlichen Grüßen",
        "Viele Grüße",
        "Beste Grüße",
        "Gruß",
        "Cordialement",
        "Bien à vous",
    ),
    *(
        "Saludos",
        "Un saludo",
        "Cordiali saluti",
        "MFG",
        "LG",
        "Ta,",
        "- Ann",
        "-- Bob Lee",
        "Hi",
        "Hello",
    ),
    *(
        "Hey Bob",
        "Dear Ann",
        "Good morning",
        "Greetings",
        "Hallo",
        "Liebe Ann",
        "Sehr geehrte Frau",
    ),
    *("Bonjour", "Cher Paul", "Chère Ann", "Hola", "Estimada", "Ciao", "Gentile", "Morning all,"),
    *(
        "Evening,",
        "Afternoon,",
        "Original Message",
        "Forwarded by",
        "Begin forwarded",
        "On Monday Ann wrote:",
    ),
    *(
        "From: Ann",
        "Subject: quay",
        "ann commented 3 days ago",
        "Comment by Ann on Monday",
        "The port",
    ),
    *("a\tb\tc", "| a | b |", "a    b    c", "Ann wrote", "x"),
)
LAST = ("", ",", ".", ":", "!", " 2024", " is closed", ": a port", " at 10:00", "\t1\t2")


@pytest.mark.parametrize("english", [True, False])
def test_what_a_pattern_matches_has_its_hint(english):
    rng = random.Random(0)
    texts = ["".join(parts) for parts in product(("", "(", "* "), FIRST, LAST)]
    texts += ["".join(rng.choices(FIRST + LAST, k=rng.randint(1, 9))) for _ in range(500)]
    wording = mail._find_wording(english=english)
    for text in texts:
        end = len(text.rstrip())
        places = np.array([(0, end, 0, 0, 1)], BLOCK)
        hint = find_hints(to_letters(text), places, english=english)[1][0]
        block = labels.Block(0, end, "paragraph", 0)
        if end <= LONGEST_LABEL and labels._label(text, 0, end):
            assert hint & LABEL, text
        frame = mail._frame(text, block, wording, signing=False, notice=False)
        assert hint & FRAME or frame == "paragraph", text
        headed = wording.header.match(text, 0, end) or wording.subject.match(text, 0, end)
        assert hint & COLON or headed is None, text
        assert hint & POST or end > 160 or writers._POST.match(text, 0, end) is None, text


@pytest.mark.parametrize("english", [True, False])
def test_blocks_with_a_word_of_notices_have_its_hint(english):
    kinds = ["english"] if english else ["english", "abroad"]
    words = [
        word for kind in kinds for word in read_table("letters")["notice_words"][kind].split(", ")
    ]
    assert len(words) == (9 if english else 19)
    for word in words:
        text = f"The quay is closed. {word.upper()} X"
        places = np.array([(0, 19, 0, 0, 1), (20, len(text), 0, 0, 0)], BLOCK)
        hints = find_hints(to_letters(text), places, english=english)[1]
        assert [hint & NOTICE > 0 for hint in hints] == [False, True], word
