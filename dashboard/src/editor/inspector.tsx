import { Inspector } from '@react-email/editor/ui'
import type { Editor } from '@tiptap/core'
import { BlockStyle, TextStyle } from './block-style.tsx'
import { EmailStyle } from './email-style.tsx'
import { texts } from './texts.ts'

/** How the block with the cursor looks; without one, how the whole email does. */
export function BlockInspector({ editor, hasPreviewText }: { editor: Editor; hasPreviewText: boolean }) {
  return (
    <Inspector.Root className="inspector" aria-label={texts.style}>
      <Inspector.Breadcrumb>
        {(path) =>
          path.length > 1 && (
            <nav className="inspector-path" aria-label={texts.selectedBlock}>
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
  body: texts.email,
  paragraph: texts.text,
  heading: texts.heading,
  blockquote: texts.quote,
  bulletList: texts.list,
  orderedList: texts.list,
  listItem: texts.listItem,
  button: texts.button,
  image: texts.image,
  section: texts.section,
  div: texts.section,
  twoColumns: '2 columns',
  threeColumns: '3 columns',
  fourColumns: '4 columns',
  columnsColumn: texts.column,
  horizontalRule: texts.divider,
  codeBlock: texts.code,
  table: texts.table,
  tableRow: texts.row,
  tableCell: texts.cell,
  tableHeader: texts.headerCell,
  variable: texts.variable,
}

const nameOf = (type: string) => NAMES[type] ?? texts.block
