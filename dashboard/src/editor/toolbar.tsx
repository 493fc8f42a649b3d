import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { type MouseEvent, useEffect, useRef } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { formatNumber } from '../ui/locale.ts'
import { Menu } from '../ui/menu.tsx'
import { Switch } from '../ui/switch.tsx'
import { BLOCKS } from './blocks.tsx'
import type { EditedResource } from './document-api.ts'
import { Presence } from './presence.tsx'
import { texts } from './texts.ts'

/** What stands beside the email. */
export type Panel = 'none' | 'style' | 'preview' | 'warnings'

interface ToolbarProps {
  readonly resource: EditedResource
  readonly editor: Editor
  readonly isEditable: boolean
  readonly isCodeShown: boolean
  readonly panel: Panel
  readonly warnings: number
  readonly onPanel: (panel: Panel) => void
  readonly onShowBlocks: () => void
  readonly onShowCode: () => void
  readonly onImport: () => void
  readonly onVersions: () => void
}

const VIEWS = [
  ['blocks', texts.toolbar.blocks],
  ['code', texts.toolbar.html],
] as const

export function Toolbar({ resource, editor, isEditable, isCodeShown, panel, warnings, onPanel, ...on }: ToolbarProps) {
  const { canUndo, canRedo } = useEditorState({
    editor,
    selector: ({ editor: now }) => ({ canUndo: now.can().undo(), canRedo: now.can().redo() }),
  })
  const toggle = (one: Panel) => onPanel(panel === one ? 'none' : one)
  const cursor = useCursor(editor)
  const insert = (block: (typeof BLOCKS)[number]) => {
    const at = Math.min(cursor.current, editor.state.doc.content.size)
    editor.chain().focus().setTextSelection(at).run()
    const { from, to } = editor.state.selection
    block.command({ editor, range: { from, to } })
  }
  return (
    <div className="editor-toolbar" role="toolbar" aria-label={texts.toolbar.label}>
      <Switch
        label={texts.toolbar.view}
        options={VIEWS}
        value={isCodeShown ? 'code' : 'blocks'}
        onChange={(view) => (view === 'code' ? on.onShowCode() : on.onShowBlocks())}
      />
      {isEditable && !isCodeShown && (
        <>
          <IconButton
            icon="reply"
            label={texts.toolbar.undo}
            disabled={!canUndo}
            onClick={() => editor.chain().focus().undo().run()}
          />
          <IconButton
            icon="forward"
            label={texts.toolbar.redo}
            disabled={!canRedo}
            onClick={() => editor.chain().focus().redo().run()}
          />
          <Menu
            label={texts.toolbar.insert}
            trigger={<Button icon="plus">{texts.toolbar.insert}</Button>}
            items={BLOCKS.map((block) => ({ label: block.title, onChoose: () => insert(block) }))}
          />
        </>
      )}
      <Menu
        label={texts.toolbar.more}
        items={[
          { label: texts.toolbar.importHtml, needs: 'editor.import', onChoose: on.onImport, isOff: !isEditable },
          { label: texts.toolbar.versions, needs: 'editor.versions.list', onChoose: on.onVersions },
        ]}
      />
      <Presence resource={resource} />
      <div className="editor-panels">
        <Button aria-pressed={panel === 'style'} onMouseDown={keepFocus} onClick={() => toggle('style')}>
          {texts.panels.style}
        </Button>
        <Button aria-pressed={panel === 'preview'} onMouseDown={keepFocus} onClick={() => toggle('preview')}>
          {texts.panels.preview}
        </Button>
        <Button aria-pressed={panel === 'warnings'} onMouseDown={keepFocus} onClick={() => toggle('warnings')}>
          {texts.panels.warnings}
          {warnings > 0 && <span className="warning-count"> {formatNumber(warnings)}</span>}
        </Button>
      </div>
    </div>
  )
}

/** The text keeps the focus: Style is about the block with the cursor. */
const keepFocus = (event: MouseEvent) => event.preventDefault()

/** Where the cursor was last: a menu takes the focus, and the text editor forgets its selection with it. */
function useCursor(editor: Editor) {
  const cursor = useRef(editor.state.doc.content.size)
  useEffect(() => {
    const remember = () => {
      if (editor.view.hasFocus()) cursor.current = editor.state.selection.to
    }
    editor.on('selectionUpdate', remember)
    return () => {
      editor.off('selectionUpdate', remember)
    }
  }, [editor])
  return cursor
}
