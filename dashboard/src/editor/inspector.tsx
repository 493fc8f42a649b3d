import { Inspector } from '@react-email/editor/ui'
import type { Editor } from '@tiptap/core'
import { BlockStyle, TextStyle } from './block-style.tsx'
import { EmailStyle } from './email-style.tsx'
import { texts } from './texts.ts'

/** How the block with the cursor looks; without one, how the whole email does. */
export function BlockInspector({ editor, hasPreviewText }: { editor: Editor; hasPreviewText: boolean }) {
  return (
    <Inspector.Root className="inspector" aria-label={texts.panels.style}>
      <Inspector.Breadcrumb>
        {(path) =>
          path.length > 1 && (
            <nav className="inspector-path" aria-label={texts.style.selected}>
              {path.map(({ node, focus }, index) => (
                <button
                  // biome-ignore lint/suspicious/noArrayIndexKey: the way to a block, from the outside
                  key={index}
                  type="button"
                  aria-current={index === path.length - 1 || undefined}
                  onClick={focus}
                >
                  {nameOf(node.nodeType)}
                </button>
              ))}
            </nav>
          )
        }
      </Inspector.Breadcrumb>
      <Inspector.Document>
        {({ styles, setGlobalStyle }) => (
          <EmailStyle {...{ editor, hasPreviewText, styles }} onChange={setGlobalStyle} />
        )}
      </Inspector.Document>
      <Inspector.Node>{(context) => <BlockStyle key={context.nodePos.pos} {...context} />}</Inspector.Node>
      <Inspector.Text>{(context) => <TextStyle {...context} />}</Inspector.Text>
    </Inspector.Root>
  )
}

const NAMES: Readonly<Record<string, string>> = {
  body: texts.nodes.email,
  paragraph: texts.nodes.text,
  heading: texts.nodes.heading,
  blockquote: texts.nodes.quote,
  bulletList: texts.nodes.list,
  orderedList: texts.nodes.list,
  listItem: texts.nodes.listItem,
  button: texts.nodes.button,
  image: texts.nodes.image,
  section: texts.nodes.section,
  div: texts.nodes.section,
  twoColumns: texts.nodes.twoColumns,
  threeColumns: texts.nodes.threeColumns,
  fourColumns: texts.nodes.fourColumns,
  columnsColumn: texts.nodes.column,
  horizontalRule: texts.nodes.divider,
  codeBlock: texts.nodes.code,
  table: texts.nodes.table,
  tableRow: texts.nodes.row,
  tableCell: texts.nodes.cell,
  tableHeader: texts.nodes.headerCell,
  variable: texts.nodes.variable,
}

const nameOf = (type: string) => NAMES[type] ?? texts.nodes.other
