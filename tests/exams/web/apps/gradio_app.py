"""A Gradio form and a counter; what its functions were called with is written to a file. gradio_app.py FILE PORT."""

import json
import os
import sys
from pathlib import Path

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
import gradio as gr

CALLS, PORT = Path(sys.argv[1]), int(sys.argv[2])


def note(kind, *given):
    with CALLS.open("a", encoding="utf-8") as calls:
        calls.write(json.dumps([kind, *given], ensure_ascii=False) + "\n")


def order(name, size, toppings, count, spicy, comment):
    note("order", name, size, toppings, count, spicy, comment)
    return f"Ordered {count} {size} for {name}"


def greet(who):
    note("greet", who)
    return f"Hello {who}!"


def keep(file):
    note("upload", Path(file).name if file else None, Path(file).read_text() if file else None)
    return "kept"


with gr.Blocks(title="Pizza desk") as demo:
    gr.Markdown("# Pizza desk")
    with gr.Tab("Order"):
        name = gr.Textbox(label="Customer")
        size = gr.Dropdown(["Small", "Medium", "Large"], value="Small", label="Size")
        toppings = gr.CheckboxGroup(["Cheese", "Olives", "Onions"], label="Toppings")
        count = gr.Slider(1, 10, value=1, step=1, label="Number of pizzas")
        spicy = gr.Radio(["Mild", "Hot"], value="Mild", label="Spiciness")
        comment = gr.Textbox(label="Comment", lines=3)
        said = gr.Textbox(label="Answer", interactive=False)
        gr.Button("Place order").click(order, [name, size, toppings, count, spicy, comment], said)
    with gr.Tab("Greeting"):
        who = gr.Textbox(label="Who")
        gr.Button("Greet").click(greet, who, gr.Textbox(label="Greeting text", interactive=False))
    with gr.Tab("Files"):
        file = gr.File(label="Document")
        gr.Button("Keep file").click(keep, file, gr.Textbox(label="Result", interactive=False))

demo.launch(server_name="127.0.0.1", server_port=PORT, share=False, quiet=True)
