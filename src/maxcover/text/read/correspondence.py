"""Correspondence: how letters are headed, opened and closed in other languages than English.

Parts of regular expressions that `maxcover.text.read.mail` adds to its own where a text is not
known to be English.
"""

import re
from functools import cache


def _either(*parts: str) -> str:
    return f"(?:{'|'.join(parts)})"


#: A line of a head, the subject's apart.
HEADER = _either(
    r"(?:para|enviad[oa]|fecha|responder a|inviato|répondre à|wysłano|komu|odesláno|aan|verzonden",
    # short words only before an address, a list of names or an hour
    r"(?:a|da|do|od)(?=\s?:.*[@;<])|data(?=\s?:.*\d:\d)",
    r"kimden|gönderildi|kime|tarih|από|προς|ημερομηνία|от(?: кого)?|кому|отправлено|дата|копия",
    r"差出人|送信者|宛先|送信日時|日時|送信日|发件人|发送时间|收件人|日期|抄送",
    r"보낸 ?사람|받는 ?사람|보낸 ?날짜|날짜|מאת|אל|נשלח|من|إلى|التاريخ|प्रेषक|प्रति)\s?[:：]",
)
SUBJECT = _either(
    r"(?:assunto|onderwerp|temat|předmět|konu|θέμα|тема|件名|主题|主旨|제목|נושא|الموضوع|विषय)\s?[:：]",
    r"(?:asunto|oggetto|betreff|objet)\s?：",
) + _either(r"\s*(?:re|fwd?|aw|wg|tr|rv|rif|回复|答复|转发)\s?[:：]\s*", r"\s+") + "*"  # fmt: skip
#: The line before a letter that is quoted.
ATTRIBUTION = _either(
    r".{0,160}\b(?:schrieb|skrev|schreef) .{3,120}:$",
    r".{0,200}\b(?:escreveu|schreef|napisała?|yazdı|έγραψε|написала?|пишет|כתבה?|كتبت?)\s*[:：]$",
    r".{0,200}(?:さん(?:は|が)?書きました|さんの?メール|のメール|写道|写到|작성)\s*[:：]$",
    # a date and an address, without a verb
    r"(?=[^<]{0,240}<\S{1,100}@\S{1,100}>\s?[:：]$)(?=\D*\d).*[\u0400-\u04ff\u3040-\u9fff]",
)
GREETING = _either(
    r"(?:guten (?:tag|morgen|abend)|moin|servus|chers|chères|bonsoir|salut"
    r"|buen[oa]s (?:días|tardes)|querid[oa]s?|gentili|egregi[oa]?|buongiorno|olá|bom dia"
    r"|boa tarde|prezad[oa]s?|beste|geachte|hoi"
    r"|goedemorgen|cześć|dzień dobry|szanown[aiey]|ahoj|dobrý den|vážen[áéíý]|hej|kära|kære|hei"
    r"|kjære|merhaba|sayın|καλημέρα|γεια|αγαπητ\w{1,3}|уважаем\w{2}|здравствуйте|привет"
    r"|добрый (?:день|вечер)|доброе утро|дорог\w{2}|שלום|היי|مرحبا|عزيزي|السلام عليكم|नमस्ते|प्रिय"
    r"|안녕하세요|안녕)\b[^.!?\n]{0,40}[,!:.]?$",
    r"car[oaie]s? [^.!?\n]{1,30},$",
    r"(?:各位|大家好|您好|你好|尊敬的|亲爱的|拝啓|前略)[^。！？\n]{0,24}[。！!，,：:、]?$",
    r"[^。！？，,\s]{1,16}(?:[，, ]?(?:您好|你好)|様|さん|さま|殿|各位| ?님)[，,、！!：:]?$",
)
CLOSING = _either(
    r"(?:(?:mit )?(?:besten?|herzlichen?|lieben?|schönen?|freundlichen?|vielen?) gr(?:ü(?:ß|ss)en?)"
    r"|gr(?:üße|üsse)|bien cordialement|amicalement|bonne (?:journée|soirée)"
    r"|(?:sincères|meilleures) salutations|un (?:cordial|afectuoso) saludo|atentamente"
    r"|un (?:fuerte )?abrazo|un caro saluto|distinti saluti|saluti|a presto|atenciosamente"
    r"|(?:com os melhores )?cumprimentos|(?:um (?:forte |grande )?)?abraços?"
    r"|met vriendelijke groet(?:en)?"
    r"|(?:hartelijke |vriendelijke )?groet(?:en|jes)?|pozdrawiam|z poważaniem|s pozdravem"
    r"|(?:med )?(?:vänliga|venlige|vennlig) hils(?:en|ner|ing|ningar)|mvh|saygılarımla|sevgiler"
    r"|με εκτίμηση|φιλικά|с уважением|всего (?:доброго|хорошего)|с наилучшими пожеланиями|בברכה"
    r"|בכבוד רב|مع (?:أطيب )?التحيات?|تحياتي|सादर|धन्यवाद|감사합니다)"
    r"\b[\s,.!-]*(?:[\w.'-]+[ .]*){0,4}$",
    r"(?:此致|敬礼|祝好|顺颂|敬具|草々|以上"
    r"|(?:以上、)?(?:何卒|どうぞ)?よろしくお願い\w{1,6})[。，、！]?$",
)
#: What a device adds below.
DEVICE = _either(
    r"von meinem \w+ gesendet|envoyé de(?:puis)? mon|enviado desde mi|enviado do meu",
    r"inviato da(?:l mio)? (?:iphone|ipad|android|smartphone|cellulare)",
    r"verzonden v(?:anaf|an) mijn",
    r"(?:wysłane|odesláno) z (?:iphon|moj|mého|telefonu)",
    r"отправлено с (?:iphone|ipad|android|моего)",
    r"(?:iphone|ipad|android)\w*から送信|发自我的",
)
#: Words of which one is in every such line.
DEVICE_WORDS = (
    "von meinem", "envoyé de", "enviado d", "inviato da", "verzonden v", "wysłane z", "odesláno z",
    "отправлено с", "から送信", "发自我的",
)  # fmt: skip

LONGEST_COURTESY = 90
"""Characters of a courtesy."""

_COURTESIES = (
    r"(?:vielen|herzlichen|besten|schönen) dank|danke|entschuldig|tut mir leid|ich hoffe"
    r"|bei (?:rück)?fragen|ich freue mich|melde?t? (?:dich|euch|sie)",
    r"(?:un grand )?merci(?! de\b)|désolée?|j['’]espère|n['’]hésitez|dans l['’]attente",
    r"(?:muchas |mil )?gracias(?! al?\b)|espero que|perdón|lo siento|quedo a",
    r"(?:molte |mille )?grazie(?! (?:al?|alla|alle|ai|all['’]))|spero (?:che|di)|scusa|resto a",
    r"(?:muito )?obrigad[oa]|desculp|fico (?:à|no)",
    r"(?:hartelijk )?bedankt|hartelijk dank|dank (?:je|jullie|u)\b|sorry|ik hoop",
    r"(?:serdecznie )?dziękuję|dzięki za|przepraszam|mam nadzieję|děkuj|díky za|omlouvám|doufám",
    r"(?:большое )?спасибо|благодарю|извини|прости|надеюсь",
    r"(?:çok )?teşekkür|kusura|umarım|ευχαριστ|συγγνώμη|ελπίζω|תודה(?! ל)|סליחה|מקווה",
    r"شكرا|آسف|أتمنى|धन्यवाद|माफ़|आशा है|감사|고맙|죄송|수고",
)
_UNSPACED_COURTESIES = "谢谢|感谢|抱歉|不好意思|辛苦|大家好|您好|你好|如有|期待|希望您"
_LAST_WORDS = (
    "ありがとうございま(?:す|した)|お願い(?:いた)?します|お願い申し上げます|お疲れ(?:様|さま)です"
    "|お世話になって(?:おり|い)ます|すみません|申し訳(?:あり|ござい)ません|失礼(?:いた)?します"
)


def is_courtesy(text: str) -> bool:
    """Tell whether a sentence thanks, apologises or hopes; a long one says something besides.

    Examples
    --------
    >>> is_courtesy("Vielen Dank für die schnelle Antwort!"), is_courtesy("Dank der Fähre geht es.")
    (True, False)
    """
    return len(text) <= LONGEST_COURTESY and _courtesy().match(text) is not None


@cache
def _courtesy() -> re.Pattern[str]:
    return re.compile(
        rf"[¡\s]*(?:{_either(*_COURTESIES)}.{{0,60}}|(?:{_UNSPACED_COURTESIES}).{{0,20}}"
        rf"|.{{0,30}}(?:{_LAST_WORDS})[。！!]?)$",
        re.IGNORECASE,
    )
