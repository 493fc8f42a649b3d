import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { useCall } from '../queries.ts'
import { Failed, Loading } from '../ui/states.tsx'
import { composeContent, type EditedResource } from './document-api.ts'
import css from './editor.css?inline'
import { lossesOf } from './losses.ts'
import type { OfferedVariable } from './suggestion-menu.ts'
import type { SaveState } from './use-autosave.ts'
import { type Mode, Workspace } from './workspace.tsx'

/** What a page asks of an open editor. */
export interface EditorHandle {
  /** Resolves when all that was written is saved; rejects when it is refused. */
  flush(): Promise<void>
}

export interface EmailEditorProps {
  readonly resource: EditedResource
  /** As it is stored. */
  readonly html: string
  /** For an email that is kept as html. */
  readonly saveHtml: (html: string) => Promise<unknown>
  readonly isEditable: boolean
  readonly variables: readonly OfferedVariable[]
  /** The email as the reader who is chosen gets it. */
  readonly fill: (html: string) => string
  /** Above the preview: whose it is, and the subject. */
  readonly previewHead: ReactNode
  readonly handle: RefObject<EditorHandle | null>
  readonly onSaveState: (state: SaveState, problem: string | null) => void
}

/** The email of a template or broadcast, as blocks or as html, with what it looks like beside it. */
export default function EmailEditor(props: EmailEditorProps) {
  const stored = useCall('editor.content.get', props.resource)
  const [mode, setMode] = useState<Mode | null>(null)
  const [opened, setOpened] = useState(0)
  const first = stored.data
  const { resource, html } = props
  useEffect(() => {
    if (!first || mode) return
    if (first.source === 'document') return setMode('blocks')
    // Html that somebody wrote is opened as blocks when nothing of it is lost by that.
    composeContent(resource, first.content).then(
      (composed) => setMode(lossesOf(html, composed.html).length === 0 ? 'blocks' : 'html'),
      () => setMode('html'),
    )
  }, [first, mode, resource, html])
  if (stored.isError) return <Failed error={stored.error} onRetry={() => stored.refetch()} />
  if (!first || !mode) return <Loading />
  return (
    <>
      {/* In this file and not in the page's sheet: whoever opens no editor does not load its styles. */}
      <style href="editor" precedence="default">
        {css}
      </style>
      <Workspace
        key={opened}
        {...props}
        stored={first}
        firstMode={mode}
        onReload={async () => (await stored.refetch()).data}
        onReopen={() => {
          setMode(null)
          setOpened(opened + 1)
        }}
      />
    </>
  )
}
