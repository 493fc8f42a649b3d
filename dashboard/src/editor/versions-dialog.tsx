import type { JSONContent } from '@tiptap/core'
import { useEffect, useState } from 'react'
import { call, type Item } from '../api.ts'
import { useCall } from '../queries.ts'
import { useAct } from '../ui/act.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { HtmlFrame } from '../ui/html-frame.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { VersionPicker } from '../ui/version-picker.tsx'
import { composeContent, type EditedResource } from './document-api.ts'
import { texts } from './texts.ts'

interface VersionsDialogProps {
  readonly resource: EditedResource
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onRestored: () => void
  readonly beforeRestore: () => Promise<void>
}

/** What was saved before, by whom; to look at and to take up again. */
export const VersionsDialog = ({ isOpen, onClose, onRestored, ...props }: VersionsDialogProps) => (
  <Dialog title={texts.versionsDialog.title} note={texts.versionsDialog.note} isOpen={isOpen} onClose={onClose} isWide>
    <Versions
      {...props}
      onRestored={() => {
        onClose()
        onRestored()
      }}
    />
  </Dialog>
)

type Version = Item<'editor.versions.list'>

function Versions({ resource, onRestored, beforeRestore }: Omit<VersionsDialogProps, 'isOpen' | 'onClose'>) {
  const versions = useCall('editor.versions.list', { ...resource, limit: 100 })
  if (versions.isPending) return <Loading />
  if (versions.isError) return <Failed error={versions.error} />
  if (versions.data.data.length === 0) return <p className="muted">{texts.versionsDialog.empty}</p>
  return (
    <VersionPicker
      versions={versions.data.data}
      timeOf={({ updated_at }) => updated_at}
      noteOf={({ author }) => author?.name ?? texts.versionsDialog.writtenAsHtml}
      badgeOf={({ is_current }) => is_current && <Badge word="current" />}
    >
      {(version) => <VersionContent key={version.id} {...{ resource, onRestored, beforeRestore, version }} />}
    </VersionPicker>
  )
}

interface VersionContentProps extends Pick<VersionsDialogProps, 'resource' | 'onRestored' | 'beforeRestore'> {
  readonly version: Version
}

function VersionContent({ resource, version, onRestored, beforeRestore }: VersionContentProps) {
  const content = useCall('editor.versions.get', { id: version.id })
  const [html, setHtml] = useState<string>()
  const document = content.data?.content as JSONContent | undefined
  useEffect(() => {
    if (document)
      composeContent(resource, document).then(
        (composed) => setHtml(composed.html),
        () => {},
      )
  }, [resource, document])
  const restore = useAct({
    run: async () => {
      await beforeRestore()
      return call('editor.versions.restore', { id: version.id })
    },
    refresh: ['editor', 'templates', 'broadcasts'],
    done: texts.versionsDialog.restored,
  })
  if (content.isError) return <Failed error={content.error} />
  return (
    <div>
      {html === undefined ? <Loading /> : <HtmlFrame html={html} title={texts.versionsDialog.preview} />}
      {!version.is_current && (
        <div className="actions end">
          <Button
            look="primary"
            needs="editor.versions.restore"
            isBusy={restore.isPending}
            onClick={() => restore.mutate(undefined, { onSuccess: onRestored })}
          >
            {texts.versionsDialog.restore}
          </Button>
        </div>
      )}
    </div>
  )
}
