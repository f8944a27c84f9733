// One page for each editor (?editor=…): `held()` is what the editor's own model holds, `put(text)` sets it.
import { javascript } from "@codemirror/lang-javascript";
import { basicSetup, EditorView } from "codemirror";
import CodeMirror5 from "codemirror5";
import "codemirror5/lib/codemirror.css";
import "codemirror5/addon/edit/closebrackets.js";
import "codemirror5/addon/edit/matchbrackets.js";
import "codemirror5/mode/javascript/javascript.js";
import * as monaco from "monaco-editor";
import { exampleSetup } from "prosemirror-example-setup";
import "prosemirror-example-setup/style/style.css";
import "prosemirror-menu/style/menu.css";
import { schema } from "prosemirror-schema-basic";
import { EditorState } from "prosemirror-state";
import { EditorView as ProseView } from "prosemirror-view";
import "prosemirror-view/style/prosemirror.css";

const place = document.getElementById("place");

function openMonaco(options) {
  const editor = monaco.editor.create(place, { language: "javascript", ...options });
  return { held: () => editor.getValue(), put: (text) => editor.setValue(text) };
}

const EDITORS = {
  "monaco": () => openMonaco({}),
  "monaco-textarea": () => openMonaco({ editContext: false }),
  "codemirror6": () => {
    const view = new EditorView({ parent: place, extensions: [basicSetup, javascript()] });
    const put = (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    return { held: () => view.state.doc.toString(), put };
  },
  "codemirror5": () => {
    const editor = CodeMirror5(place, { mode: "javascript", autoCloseBrackets: true, matchBrackets: true, lineNumbers: true });
    return { held: () => editor.getValue(), put: (text) => editor.setValue(text) };
  },
  "prosemirror": () => {
    const view = new ProseView(place, { state: EditorState.create({ schema, plugins: exampleSetup({ schema }) }) });
    const put = (text) => {
      const paragraphs = text.split("\n").map((line) => schema.node("paragraph", null, line ? [schema.text(line)] : []));
      view.dispatch(view.state.tr.replaceWith(0, view.state.doc.content.size, paragraphs));
    };
    return { held: () => view.state.doc.textBetween(0, view.state.doc.content.size, "\n", "\n"), put };
  },
};

Object.assign(window, EDITORS[new URLSearchParams(location.search).get("editor")]());
