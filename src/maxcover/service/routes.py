"""Routes: what clients can ask for. A light table: the front imports it, and not the solvers."""

TITLES = {
    "summarize": "Choose the sentences that cover the most of what the texts say.",
    "solve": "Choose sets within a budget that cover the most weight.",
    "curve": "What each of many budgets would buy.",
}
