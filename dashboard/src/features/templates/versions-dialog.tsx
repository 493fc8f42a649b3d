import { call, type Item } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { VersionPicker } from '../../ui/version-picker.tsx'
import { texts } from './texts.ts'

type VersionRow = Item<'templates.versions.list'>

interface VersionsDialogProps {
  readonly template: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** What was published before, to look at and to take up again. */
export const VersionsDialog = ({ template, isOpen, onClose }: VersionsDialogProps) => (
  <Dialog title={texts.versions.title} note={texts.versions.note} isOpen={isOpen} onClose={onClose} isWide>
    <Versions template={template} onRestored={onClose} />
  </Dialog>
)

function Versions({ template, onRestored }: { template: string; onRestored: () => void }) {
  const versions = useCall('templates.versions.list', { idOrAlias: template, limit: 100 })
  if (versions.isPending) return <Loading />
  if (versions.isError) return <Failed error={versions.error} />
  return (
    <VersionPicker
      versions={versions.data.data}
      timeOf={({ published_at, created_at }) => published_at ?? created_at}
      badgeOf={(version) => <State of={version} />}
    >
      {(version) => <Content template={template} version={version} onRestored={onRestored} />}
    </VersionPicker>
  )
}

const State = ({ of: { is_current, is_published } }: { of: VersionRow }) =>
  is_published ? <Badge word="published" /> : is_current ? <Badge word="draft" /> : null

interface ContentProps {
  readonly template: string
  readonly version: VersionRow
  readonly onRestored: () => void
}

function Content({ template, version, onRestored }: ContentProps) {
  const input = { idOrAlias: template, versionId: version.id }
  const content = useCall('templates.versions.get', input)
  const restore = useAct({
    run: () => call('templates.versions.restore', input),
    refresh: ['templates', 'editor'],
    done: texts.versions.restored,
  })
  if (content.isPending) return <Loading />
  if (content.isError) return <Failed error={content.error} />
  return (
    <div>
      <p className="preview-subject">
        {content.data.subject || <span className="muted">{texts.versions.noSubject}</span>}
      </p>
      <HtmlFrame html={content.data.html} title={texts.versions.preview} />
      {!version.is_current && (
        <div className="actions">
          <Button
            needs="templates.versions.restore"
            isBusy={restore.isPending}
            onClick={() => restore.mutate(undefined, { onSuccess: onRestored })}
          >
            {texts.versions.restore}
          </Button>
        </div>
      )}
    </div>
  )
}
