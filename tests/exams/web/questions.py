"""The questions of the web exam: instructions as a user would write them, and what the program must hold afterwards."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.exams.web import programs as p

State = Any


@dataclass(frozen=True)
class Question:
    """`change` makes the wanted state of the first one; `look` is asked of the page itself and must give `seen`."""

    program: type[p.Program]
    goal: str
    change: Callable[[State], None] | None = None
    look: str = ""
    seen: Any = None
    refusal: bool = False

    def make_wanted(self, first: State) -> State:
        wanted = copy.deepcopy(first)
        if self.change is not None:
            self.change(wanted)
        return wanted


def add(key: str, *items: Any) -> Callable[[State], None]:
    def change(state: State) -> None:
        state[key].extend(items)
        state[key].sort(key=lambda item: str(item[0]) if isinstance(item, list | tuple) else str(item))

    return change


def drop(key: str, *items: Any) -> Callable[[State], None]:
    return lambda state: [state[key].remove(item) for item in items] and None


def set_book(title: str, **fields: Any) -> Callable[[State], None]:
    names = ("title", "author", "published", "kind", "pages", "lent", "notes", "tags")

    def change(state: State) -> None:
        book = next(book for book in state["books"] if book[0] == title)
        for name, value in fields.items():
            book[names.index(name)] = value

    return change


def both(*changes: Callable[[State], None]) -> Callable[[State], None]:
    return lambda state: [change(state) for change in changes] and None


def call(*calls: Any) -> Callable[[State], None]:
    return lambda state: state.extend(calls)


LOGIN = 'log in as "admin" with password "pass-4711"'
LOGIN_BY_HAND = 'type "admin" into Username, type "pass-4711" into Password, click "Log in"'
FOUNDATION = ["Foundation", "Ursula Le Guin", "1951-06-01", "novel", 255, 0, "A classic", None]

DJANGO = (
    Question(p.Library, f'{LOGIN}, click "Authors", click "Add author", type "Octavia Butler" into Name, click Save', add("authors", "Octavia Butler")),
    Question(p.Library, f'{LOGIN_BY_HAND}, click Add next to Tags, type "Utopia" into the Name field and click "Save"', add("tags", "Utopia")),
    Question(p.Library, f'{LOGIN_BY_HAND}, click "Books", click "Dune Messiah", check "Lent", click "Save"', set_book("Dune Messiah", lent=1)),
    Question(p.Library, f'{LOGIN}, click "Books", click "The Dispossessed", set Pages to 387, select "Essay" from Kind, then click "Save"', set_book("The Dispossessed", pages=387, kind="essay")),
    Question(p.Library, f'{LOGIN}, click "Books", click "Add book", type "Foundation" into Title, select "Ursula Le Guin" from Author, set Published to 1951-06-01, set Pages to 255, type "A classic" into Notes, click "Save"', add("books", FOUNDATION)),
    Question(p.Library, f'{LOGIN}, click "Books", click "Dune", select "Desert" and "Space" in Tags, click "Save"', set_book("Dune", tags="Desert+Space")),
    Question(p.Library, f'{LOGIN}, click "Books", type "messiah" into the search box, click "Search", verify that "1 result" is shown', look="[...document.querySelectorAll('#result_list tbody th a')].map(a => a.innerText)", seen=["Dune Messiah"]),
    Question(p.Library, f'{LOGIN}, click "Tags", click "Classic", click "Delete", click "Yes, I’m sure"', drop("tags", "Classic")),
    Question(p.Library, f'{LOGIN}, click "Users", click "bea", type "Beatrice" into First name, uncheck "Active", click "Save and continue editing"', both(drop("users", ("bea", 0, 1, "", "bea@example.com")), add("users", ("bea", 0, 0, "Beatrice", "bea@example.com")))),
    Question(p.Library, f'{LOGIN}, click "Books", click "Yes" under "By lent"', look="location.search", seen="?lent__exact=1"),
    Question(p.Library, f'{LOGIN}, click "Groups", click "Add group", type "Readers" into Name, click "Save and add another"', add("groups", "Readers")),
    Question(p.Library, f'{LOGIN}, click "Books", click the checkbox in the row "Dune Messiah", select "Delete selected books" from Action, click "Run" or "Go"', refusal=True),
)  # fmt: skip

NEW = 'type "{}" into "What needs to be done?" and press Enter'
MILK, BREAD = NEW.format("milk"), NEW.format("bread")
SHOWN = (
    "JSON.stringify([...document.querySelectorAll('.todo-list li, #todo-list li')].filter(li => li.offsetHeight)"
    ".map(li => [li.innerText.trim(), li.querySelector('input[type=checkbox]')?.checked]).sort())"
)


def todos(*items: tuple[str, bool]) -> str:
    return json.dumps(sorted(list(item) for item in items), separators=(",", ":"), ensure_ascii=False)


def ask_todos(program: type[p.Program]) -> tuple[Question, ...]:
    return (
        Question(program, MILK, look=SHOWN, seen=todos(("milk", False))),
        Question(program, f'{MILK}, {BREAD}, then check "milk"', look=SHOWN, seen=todos(("milk", True), ("bread", False))),
        Question(program, f'{MILK}, {BREAD}, check "bread" and click "Active"', look=SHOWN, seen=todos(("milk", False))),
        Question(program, f'{MILK}, {BREAD}, verify that "2 items left" is shown', look=SHOWN, seen=todos(("milk", False), ("bread", False))),
        Question(program, f'{MILK}, double-click "milk", clear it, type "oat milk" and press Enter', look=SHOWN, seen=todos(("oat milk", False))),
        Question(program, f'{MILK}, {BREAD}, check "milk", click "Clear completed"', look=SHOWN, seen=todos(("bread", False))),
    )  # fmt: skip


TODOS = (
    *ask_todos(p.ReactTodos),
    *ask_todos(p.BackboneTodos),
    Question(p.ReactTodos, f'{MILK}, {BREAD}, delete "milk"', look=SHOWN, seen=todos(("bread", False))),
    Question(p.BackboneTodos, f'{MILK}, {BREAD}, check "Mark all as complete", verify that "0 items left" is shown', look=SHOWN, seen=todos(("milk", True), ("bread", True))),
    Question(p.ReactTodos, f"{MILK}, buy the cheapest bread", look=SHOWN, seen=todos(), refusal=True),
)  # fmt: skip


def asked(*requests: tuple[str, str, str]) -> Callable[[State], None]:
    return lambda state: state["asked"].extend(list(request) for request in requests)


NEW_PET = '{"id": 9, "name": "Kim", "status": "pending"}'
SWAGGER = (
    Question(p.PetStore, 'click "List all pets", click "Try it out", click "Execute"', asked(("GET", "/api/pets", ""))),
    Question(p.PetStore, 'click "Find a pet by its number", click "Try it out", type "2" into petId, click "Execute", verify that "Mia" is shown', asked(("GET", "/api/pets/2", ""))),
    Question(p.PetStore, 'click "List all pets", click "Try it out", select "sold" from status, type "5" into limit, click "Execute"', asked(("GET", "/api/pets?status=sold&limit=5", ""))),
    Question(p.PetStore, 'click "Remove a pet", click "Try it out", type "1" into petId, click "Execute"', both(asked(("DELETE", "/api/pets/1", "")), lambda state: state["pets"].pop(0))),
    Question(p.PetStore, f"click \"Add a pet\", click \"Try it out\", clear the text area, type '{NEW_PET}' into the text area, click \"Execute\"", both(asked(("POST", "/api/pets", NEW_PET)), add("pets", json.loads(NEW_PET)))),
    Question(p.PetStore, 'scroll down to "Is it well?", click it, click "Try it out", click "Execute", wait until "Server response" is shown', asked(("GET", "/api/health", ""))),
)  # fmt: skip


def order(
    name: str = "",
    size: str = "Small",
    toppings: tuple[str, ...] = (),
    count: int = 1,
    spice: str = "Mild",
    comment: str = "",
) -> list[Any]:
    return ["order", name, size, list(toppings), count, spice, comment]


GRADIO = (
    Question(p.PizzaDesk, 'type "Ann" into Customer, click "Place order", wait until the answer contains "Ordered 1 Small for Ann"', call(order("Ann"))),
    Question(p.PizzaDesk, 'type "Ben" into Customer, select "Large" from Size, click "Place order"', call(order("Ben", "Large"))),
    Question(p.PizzaDesk, 'enter "Cleo" in the Customer field, check "Cheese" and "Onions", select "Hot", click "Place order"', call(order("Cleo", toppings=("Cheese", "Onions"), spice="Hot"))),
    Question(p.PizzaDesk, 'type "Dan" into Customer, set "Number of pizzas" to 4, click "Place order"', call(order("Dan", count=4))),
    Question(p.PizzaDesk, 'type "Eve" into Customer, type "no cutlery, please" into Comment, click "Place order", verify that "Ordered 1 Small for Eve" is shown', call(order("Eve", comment="no cutlery, please"))),
    Question(p.PizzaDesk, 'click the "Greeting" tab, type "Bob" into Who, click "Greet", verify that "Hello Bob!" is shown', call(["greet", "Bob"])),
    Question(p.PizzaDesk, 'click the "Files" tab, upload "{folder}/doc.txt" to "Document", wait until "doc.txt" is shown, click "Keep file"', call(["upload", "doc.txt", "the document\n"])),
    Question(p.PizzaDesk, '点击“Greeting”标签页，在Who里输入“小明”，点击“Greet”，确认显示“Hello 小明!”', call(["greet", "小明"])),
)  # fmt: skip


def trip(
    city: str = "",
    day: str = "2026-05-04",
    means: str = "Train",
    people: int = 1,
    interests: tuple[str, ...] = (),
    nights: int = 3,
    insured: bool = False,
) -> dict[str, Any]:
    return {
        "city": city,
        "day": day,
        "means": means,
        "people": people,
        "interests": list(interests),
        "nights": nights,
        "insured": insured,
    }


STREAMLIT = (
    Question(p.TripPlanner, 'type "Oslo" into City and press Enter, click "Book trip", verify that "Trip to Oslo booked" is shown', call(trip("Oslo"))),
    Question(p.TripPlanner, 'type "Rome" into City, select "Plane" from Transport, click "Book trip"', call(trip("Rome", means="Plane"))),
    Question(p.TripPlanner, 'type "Bonn" into City, set Travellers to 3, click "Book trip"', call(trip("Bonn", people=3))),
    Question(p.TripPlanner, 'type "Lima" into City, select "Food" and "Hiking" from Interests, click "Book trip"', call(trip("Lima", interests=("Food", "Hiking")))),
    Question(p.TripPlanner, 'type "Kyiv" into City, set Departure to 2026/06/15, click "Book trip"', call(trip("Kyiv", day="2026-06-15"))),
    Question(p.TripPlanner, 'type "Baku" into City, check "Travel insurance", set Nights to 7, click "Book trip"', call(trip("Baku", nights=7, insured=True))),
    Question(p.TripPlanner, 'click "Packing", type "tent, stove" into "What to pack", click "Save list", verify that "Saved" is shown', call({"packed": "tent, stove"})),
    Question(p.TripPlanner, 'select "Packing", click "Advanced options", turn on "Light luggage", wait until "Only seven kilos" is shown', call({"light": True})),
)  # fmt: skip


def tiddler(title: str, text: str, *tags: str) -> Callable[[State], None]:
    return lambda state: state.update({title: [text, sorted(tags)]})


WIKI = (
    Question(p.Wiki, 'click "Create a new tiddler", clear the title field, type "Trip" into the title field, type "Pack the tent" into the text field, click "Confirm changes to this tiddler"', tiddler("Trip", "Pack the tent")),
    Question(p.Wiki, 'type "roses" into Search, click "Garden", wait until "Water the roses" is shown', look="[...document.querySelectorAll('.tc-tiddler-frame')].some(f => f.innerText.includes('Water the roses'))", seen=True),
    Question(p.Wiki, 'click "Recent", click "Shopping", click "Edit this tiddler", set the text to "Milk, eggs and tea", click "Confirm changes to this tiddler"', tiddler("Shopping", "Milk, eggs and tea", "home")),
    Question(p.Wiki, 'click the "All" tab, click "Shopping"', look="[...document.querySelectorAll('.tc-tiddler-frame')].some(f => f.innerText.includes('Milk and eggs'))", seen=True),
    Question(p.Wiki, 'click the "Recent" tab, click "Garden", click "Edit this tiddler", click "Delete this tiddler", click OK', lambda state: state.pop("Garden") and None),
)  # fmt: skip

JUPYTER = (
    Question(p.Notebooks, 'double-click "notes.txt", click the editor, press ctrl+a, type "second text", press ctrl+s', lambda state: state.update({"notes.txt": "second text"})),
    Question(p.Notebooks, 'click "File", click "New", click "Text File", wait until "untitled.txt" is shown', lambda state: state.update({"untitled.txt": ""})),
    Question(p.Notebooks, 'click the "New Folder" button, type "reports" and press Enter', lambda state: state.update({"reports": "folder"})),
    Question(p.Notebooks, 'click "Python 3 (ipykernel)" under "Notebook", type "print(6*7)" into the first cell, press ctrl+s, click "Rename and Save"', lambda state: state.update({"Untitled.ipynb": ["print(6*7)"]})),
    Question(p.Notebooks, 'click "Python 3 (ipykernel)" under "Notebook", type "print(6*7)" into the first cell, press ctrl+s', lambda state: state.update({"Untitled.ipynb": []}), refusal=True),
    Question(p.Notebooks, 'right-click "notes.txt", click "Move to Trash", click "Move to Trash" in the dialog', lambda state: state.pop("notes.txt") and None),
    Question(p.Notebooks, 'right-click "notes.txt", click "Rename", type "ideas.txt" and press Enter', lambda state: state.update({"ideas.txt": state.pop("notes.txt")})),
)  # fmt: skip


def node(**fields: Any) -> str:
    return json.dumps(fields, sort_keys=True)


def swap(old: str, new: str) -> Callable[[State], None]:
    def change(state: State) -> None:
        state.remove(old)
        state.append(new)
        state.sort()

    return change


def append(new: str) -> Callable[[State], None]:
    def change(state: State) -> None:
        state.append(new)
        state.sort()

    return change


NODE_RED = (
    Question(p.Flows, 'double-click "start", set Name to "begin", click "Done", click "Deploy", wait until "Successfully deployed" is shown', swap(node(type="inject", name="start"), node(type="inject", name="begin"))),
    Question(p.Flows, 'double-click the "Flow 1" tab, set Name to "Main", click "Done", click "Deploy"', swap(node(type="tab", label="Flow 1", disabled=False, info=""), node(type="tab", label="Main", disabled=False, info=""))),
    Question(p.Flows, 'click the "Add flow" button, click "Deploy"', append(node(type="tab", label="Flow 2", disabled=False, info=""))),
    Question(p.Flows, 'type "switch" into "filter nodes"', look="[...document.querySelectorAll('.red-ui-palette-node')].filter(n => n.offsetHeight).map(n => n.innerText.trim()).includes('debug')", seen=False),
)  # fmt: skip

QUESTIONS = (*DJANGO, *TODOS, *SWAGGER, *GRADIO, *STREAMLIT, *WIKI, *JUPYTER, *NODE_RED)
