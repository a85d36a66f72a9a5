import gc
import time

import pytest
import sentencex
from hypothesis import given, settings
from hypothesis import strategies as st

from maxcover.errors import OptionError
from maxcover.texts.split.sentences import LONGEST, split_sentences
from maxcover.texts.words.languages import LANGUAGES
from tests.texts.collections_on_disk import COLLECTIONS, any_text, load_clusters, name_of
from tests.texts.sentence_cases import CASES, bare, expected, text_of


def sentences(text: str, language: str = "english", **options: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language, **options)]


def check_spans(text: str, spans: list[tuple[int, int]]) -> None:
    """The promises of `split`, in the order of its docstring."""
    behind = 0
    for start, end in spans:
        assert behind <= start < end <= len(text)
        sentence = text[start:end]
        assert sentence == sentence.strip()
        assert any(map(str.isalnum, sentence))
        assert len(sentence) <= LONGEST
        behind = end


@pytest.mark.parametrize(
    ("language", "marked"),
    [
        pytest.param(
            language,
            marked,
            id=f"{language}-{kind}-{number}",
        )
        for number, (language, kind, marked) in enumerate(CASES)
    ],
)
def test_hand_made_cases(language, marked):
    assert [bare(s) for s in sentences(text_of(marked), language)] == expected(marked)


@settings(max_examples=250, deadline=None)
@given(any_text, st.sampled_from(sorted(LANGUAGES)), st.sampled_from(["auto", "break", "wrap"]))
def test_spans_are_exact_on_any_text(text, language, lines):
    spans = split_sentences(text, language, lines=lines)
    check_spans(text, spans)
    assert spans == split_sentences(text, language, lines=lines)


@settings(max_examples=200, deadline=None)
@given(any_text)
def test_no_letter_or_digit_is_lost(text):
    """Only list markers, which may be numbers, are left out between sentences."""
    spans = split_sentences(text)
    inside = "".join(text[start:end] for start, end in spans)
    lost = sorted(c for c in text if c.isalpha() and text.count(c) > inside.count(c))
    assert lost == [] or "(" in text  # "(a) item"


@pytest.mark.parametrize("path", COLLECTIONS, ids=name_of)
def test_spans_are_exact_on_collections(path):
    for documents in load_clusters(path):
        for text in documents:
            check_spans(text, split_sentences(text))


def test_line_ends_of_any_kind_are_the_same():
    text = "A heading\nOne here. Two here.\n\nThree here."
    for line_end in ("\r\n", "\r", "\u2028", "\x85"):
        assert sentences(text.replace("\n", line_end)) == sentences(text)


def test_signs_without_words_go_with_the_sentence_before_or_go_away():
    assert sentences("Great. 😀 !!! Next one.") == ["Great. 😀 !!!", "Next one."]
    assert sentences("***\n😀😀\n...") == []


def test_no_sentence_grows_beyond_the_longest():
    for text in ("Hi. " + "😀" * 9000, "!" * 9000 + "a", "1. " * 5000, "a " * 9000, "a" * 9000):
        spans = split_sentences(text)
        check_spans(text, spans)
        assert spans
    numbers = "1. " * 5000
    assert (
        sum(numbers[start:end].count("1") for start, end in split_sentences(numbers)) == 4999
    )  # a marker


@settings(max_examples=300, deadline=None)
@given(st.text("ab. !?:;,-\"'()\t", max_size=40))
def test_the_short_cut_for_simple_lines_agrees_with_the_splitter(line):
    if not any(mark in line[:-1] for mark in ".!?"):
        assert len(sentencex.get_sentence_boundaries("en", line)) <= 1


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(OptionError, match="english"):
        split_sentences("x", "klingon")
    with pytest.raises(OptionError, match="wrap"):
        split_sentences("x", lines="fold")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "piece", ["«a. ", "(", '"', "Go. ", "a", "a\n", "“A. b.” ", "> ", "1. ", "\n"]
)
def test_time_is_linear(piece):
    """Ten times the text may take thirty times as long (a busy machine), not a hundred.

    The garbage collector rests: its share grows with all that earlier tests left behind.
    """

    def seconds(repeats: int) -> float:
        text = piece * repeats
        gc.disable()
        start = time.process_time()
        split_sentences(text)
        gc.enable()
        return time.process_time() - start

    seconds(1000)
    assert seconds(100_000) < 30 * max(seconds(10_000), 0.005)


@pytest.mark.parametrize(
    ("language", "marked"),
    [
        ("hi", "आज सुबह ७.० मैगनिट्यूड का भूकंप आया।¶ पैमाने पर ६.१ था।"),
        ("hi", "ए.एफ़.पी को दिए बयान में उन्होंने यह कहा।¶ कानून तोड़ा गया है।"),
        ("hi", "मलबा तट से लगभग ६५०कि. मि. की दूरी पर मिला।¶ खोज जारी है।"),
        ("hi", "मलबा तट से ६५० कि.मी. दूर मिला।¶ खोज जारी है।"),
        ("hi", "संख्या १२०,००० से अधिक है.¶ लोग घर गए हैं."),
        ("mr", "किंमत ३.५ रुपये आहे।¶ ते स्वस्त आहे।"),
        ("ar", "بلغت قوته ٦.١ درجة.¶ ولم يصب أحد."),
        ("pl", "Dźwig runął ok. godz. 4.30 rano przy ul. Portowej.¶ Nikt nie zginął."),
        ("ru", "См. рис. 3 и стр. 12.¶ Там всё есть."),
        ("it", "L'art. 5 del d.lgs. 50/2016 lo dice.¶ La sig.ra Verdi è qui."),
        ("pt", "O Sr. Silva mora na Av. Brasil.¶ A Dra. Costa chegou."),
        ("nl", "Dhr. Jansen en mevr. De Vries wonen op nr. 5.¶ Zij werken o.a. bij Shell."),
        ("tr", "Av. Ali Koç ve Sn. Ayşe Sağlam geldi.¶ Atatürk Cad. No. 5'te oturuyorlar."),
        ("sv", "Dr. Svensson kom kl. 8.30 t.ex. till Lund.¶ Han bor där."),
        ("zh", "“我们非常幸运。”李安娜说。¶港口关闭了。¶“船来了。”¶港口打开了。"),
        ("ko", '"정말 운이 좋았다."라고 시장은 말했다.¶ 항구는 폐쇄되었다.'),
        ("he", 'הנשיא אמר כי ארה"ב תרמה כסף ע"י הצלב האדום.¶ מאוחר יותר הוא שינה את דעתו.'),
        ("he", 'הוא קרא לזה "קמצנות" של האו"ם.¶ הדו"חות של מנכ"לית החברה הגיעו.¶ הנמל סגור.'),
    ],
)
def test_scripts_and_abbreviations_of_other_languages(language, marked):
    assert [bare(s) for s in sentences(text_of(marked), language)] == expected(marked)
