"""Texts that try to run something where they are shown."""

ATTACKS = [
    "<script>boom(1)</script> is said here.",
    "</style><style>*{background:url(http://127.0.0.1:9/leak)}</style> is said here.",
    "</title></textarea></svg></details><script>boom(2)</script> is said here.",
    "<img src=x onerror=boom(3)> is said here.",
    '" onmouseover="boom(4)" autofocus onfocus="boom(5)" x=" is said here.',
    "' onclick='boom(6)' is said here.",
    "<a href='javascript:boom(7)'>javascript:boom(8)</a> is said here.",
    "<iframe srcdoc='<script>parent.boom(9)</script>'></iframe> is said here.",
    "<svg><animate onbegin=boom(10) attributeName=x></svg> is said here.",
    "{{ 7 * 7 }} {% for x in y %} ${boom(11)} is said here.",
    "\u202eevil\u202c \u2066left\u2069 \u200f is said here.",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'> is said here.",
    "&lt;script&gt;boom(12)&lt;/script&gt; &#60;script&#62; is said here.",
    "<!-- --!><script>boom(13)</script> ]]> is said here.",
]
TEXT = " ".join(ATTACKS)
