"""Print the table of methods for docs/problems.md."""

from maxcover import METHODS

print("| method | what it does | at least, of the optimum |")
print("|---|---|---|")
for name, method in METHODS.items():
    guarantee = f"{method.guarantee:.3f}" if method.guarantee else "none"
    print(f"| `{name}` | {method.title} | {guarantee} |")
