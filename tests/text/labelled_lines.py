"""Lines written for these tests, each with a label by hand: what is content, what frames a text.

The first sign of a line is its label, the rest is the line: ``c`` content, ``h`` a title, heading,
caption or row of a table (gives weight, is not chosen), ``b`` boilerplate (gives none), ``.`` blank
or markup, not looked at. None of it is from an evaluation set.
"""

from pathlib import Path

FILES = sorted((Path(__file__).parent / "labelled").glob("*.txt"))
"""More of the same, one document in each."""

MAIL = """
b From: Ann Keller <ann.keller@harbour.example>
b To: Port Office <office@harbour.example>
b Cc: board@harbour.example
b Date: Tue, 3 Mar 2026 09:12:44 +0100
h Subject: Crane repair and the ferry timetable
.
b Hi Bob,
.
c The crane at the north quay stopped again on Monday evening.
c Our engineer found a worn cable and ordered a new one from Bremen.
c Delivery takes eight working days, so the quay stays closed until the 13th.
c Ferries can use the south quay in the meantime.
c Could you tell the operators by Thursday?
.
b Best regards,
b Ann
b --
b Ann Keller
b Head of Operations, Port of Alder Bay
b Tel. +49 421 555 0192
b www.harbour.example
.
b On Tue, 3 Mar 2026 at 11:30, Bob Ross wrote:
.
c I called the operators this morning.
c Two of them can move their sailings to the south quay.
c The third needs a deeper berth and will cancel its night service.
.
b Thanks,
b Bob
.
b -----Original Message-----
b From: Carla Diaz
b Sent: Wednesday, March 4, 2026 8:02 AM
b To: Bob Ross
h Subject: RE: Crane repair and the ferry timetable
.
b Dear Bob,
.
c The insurer wants photographs of the cable before it is replaced.
c Please keep the old cable in the workshop until their expert has seen it.
c He comes on Friday at ten.
c We pay the first five thousand euros ourselves.
.
b Kind regards
b Carla Diaz
b Fax: +34 91 555 3310
b This message is intended only for the addressee and is confidential.
b If you are not the intended recipient, please delete it and notify the sender.
.
b Hello all,
.
c The expert agrees that the cable was worn and not misused.
c The insurer will pay the rest of the bill.
c The new cable arrives two days early, on the 11th.
c Tests begin on the 12th, and the quay opens on the 13th as planned.
.
b Cheers,
b --Dave
b Sent from my phone
"""

MARKDOWN = """
. # Harbour report
.
. ![build](https://img.example/badge.svg) [![docs](https://img.example/d.svg)](https://docs.example)
.
c The harbour handled **412 ships** in March, a tenth more than a year ago.
c Most of them carried grain, as the [annual plan](https://plan.example/2026) expected.
.
h ## Repairs
.
c The crane at the north quay was out of service for nine days.
c A worn cable was the cause.
.
. - c The new cable is rated for forty tonnes.
. - c Its price was nine thousand euros.
.
b ```
b maxcover summarize report.md
b print("harbour")
b ```
.
h | month | ships |
. |---|---|
h | March | 412 |
h | April | 398 |
.
. > c The insurer paid the whole bill, which surprised us.
.
. <!-- draft -->
.
h ### Outlook
.
c Ferries return to the north quay in April.
c Dredging of the inner basin begins in May and lasts until autumn.
"""

NEWS = """
h Port reopens after nine days
b Tuesday, 17 March 2026
h Photo: Marta Lind
.
c The port of Alder Bay reopened on Tuesday after the repair of its largest crane.
c Three ships that had waited off the coast entered the basin before noon.
c "We are back to normal," the harbour master said.
h (Image: Alder Bay Press)
c Nobody was hurt when the cable broke.
c The repair cost 9,000 euros, which the insurer pays.
.
h What happened
.
c The cable of the crane at the north quay broke on 2 March at 6.40 p.m. during a storm.
c An engineer from Bremen replaced it within a week.
.
b Read more: Ferry timetable for spring
b Follow us on social media and sign up for our newsletter
b Share this article
b © 2026 Alder Bay Press. All rights reserved.
b Call our desk: +49 421 555 0100
b desk@alderbay.example
"""

TRANSCRIPT = """
. Chair: Good morning, everybody.
c Chair: We have to decide today which crane the port will buy next year.
c Engineer: The larger crane lifts forty tonnes and needs a stronger quay.
. Chair: Okay.
c Engineer: The smaller crane can stand on the north quay as it is now.
c Treasurer: The council gives us two million euros and not a cent more.
. Engineer: Um.
c Engineer: The larger crane costs three million with the work on the quay.
c Chair: Then the board should choose the smaller crane for the north quay.
c Treasurer: I agree, and the rest of the money can pay for the dredging.
. Chair: Right. Thanks.
"""

WRAPPED = """
c The committee met on Tuesday to discuss the plan that had been sent
c to all members a week before. It was agreed that the harbour should
c be opened in spring, if the weather allows it and the money is found.
.
h NEXT STEPS
.
c A narrow column of text is
c wrapped at so few characters
c that every line of it would be
c read as a sentence of its own
c and the words made into salad.
.
c This paragraph of the file was never wrapped: its only line is longer than the others.
"""

DOCUMENTS = {
    "mail": MAIL,
    "markdown": MARKDOWN,
    "news": NEWS,
    "transcript": TRANSCRIPT,
    "wrapped": WRAPPED,
    **{path.stem: path.read_text(encoding="utf-8") for path in FILES},
}


def labelled(name: str) -> tuple[str, list[tuple[str, int, int]]]:
    """Return a document, and the label, start and end of each of its lines that has one."""
    text, found = "", []
    for line in DOCUMENTS[name].strip("\n").split("\n"):
        label, body = line[:1], line[2:]
        if label == "." and " c " in body[:4]:  # a marker, then a line of content
            marker, _, body = body.partition("c ")
            text += marker
            label = "c"
        if label in "chb" and body:
            found.append((label, len(text), len(text) + len(body)))
        text += body + "\n"
    return text, found
