import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { html } from '@codemirror/lang-html'
import { bracketMatching, defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'

interface CodeViewProps {
  readonly html: string
  readonly isEditable: boolean
  readonly onChange: (html: string) => void
}

const LOOK = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', backgroundColor: 'var(--raised)', color: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--muted)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
})

/** The colors of the library are for a light page; on a dark one they are lighter. */
const COLORS = HighlightStyle.define(
  defaultHighlightStyle.specs.map((spec) =>
    spec.color ? { ...spec, color: `light-dark(${spec.color}, color-mix(in srgb, ${spec.color} 45%, white))` } : spec,
  ),
)

/** The html of an email. It is set once for each key of this component; after that it is the writer's. */
export default function CodeView({ html: beginning, isEditable, onChange }: CodeViewProps) {
  const place = useRef<HTMLDivElement>(null)
  const changed = useRef(onChange)
  changed.current = onChange
  // biome-ignore lint/correctness/useExhaustiveDependencies: another html is another view
  useEffect(() => {
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: beginning,
        extensions: [
          ...[
            lineNumbers(),
            history(),
            drawSelection(),
            bracketMatching(),
            highlightActiveLine(),
            highlightSelectionMatches(),
          ],
          ...[html(), syntaxHighlighting(COLORS), EditorView.lineWrapping, LOOK],
          EditorState.readOnly.of(!isEditable),
          EditorView.contentAttributes.of({ 'aria-label': 'HTML', tabindex: '0' }),
          keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) changed.current(state.doc.toString())
          }),
        ],
      }),
    })
    return () => view.destroy()
  }, [])
  return <div className="code-view" ref={place} />
}
