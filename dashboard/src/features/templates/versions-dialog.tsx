import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Static } from 'typebox'
import type { TemplateVersion, TemplateVersionItem } from '../../../../src/resources/templates/schema.ts'
import { api, type ListReply } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

type VersionRow = Static<typeof TemplateVersionItem>

interface VersionsDialogProps {
  readonly path: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onRestored: () => void
}

/** What was published before, to look at and to take up again. */
export const VersionsDialog = ({ path, isOpen, onClose, onRestored }: VersionsDialogProps) => (
  <Dialog
    title="Versions"
    note="Restoring one makes it the draft. Emails are made of it once you publish."
    isOpen={isOpen}
    onClose={onClose}
    isWide
  >
    <Versions
      path={path}
      onRestored={() => {
        onClose()
        onRestored()
      }}
    />
  </Dialog>
)

function Versions({ path, onRestored }: { path: string; onRestored: () => void }) {
  const [chosen, setChosen] = useState<string | null>(null)
  const versions = useQuery({
    queryKey: ['templates', path, 'versions'],
    queryFn: () => api.get<ListReply<VersionRow>>(`${path}/versions`, { limit: 100 }),
  })
  if (versions.isPending) return <Loading />
  if (versions.isError) return <Failed error={versions.error} />
  const shown = versions.data.data.find(({ id }) => id === chosen) ?? versions.data.data[0]!
  return (
    <div className="versions">
      <ul>
        {versions.data.data.map((version) => (
          <li key={version.id}>
            <button type="button" aria-pressed={version.id === shown.id} onClick={() => setChosen(version.id)}>
              <Time at={version.published_at ?? version.created_at} exact />
              <State of={version} />
            </button>
          </li>
        ))}
      </ul>
      <Content path={path} version={shown} onRestored={onRestored} />
    </div>
  )
}

const State = ({ of: { is_current, is_published } }: { of: VersionRow }) =>
  is_published ? <Badge word="published" /> : is_current ? <Badge word="draft" /> : null

function Content({ path, version, onRestored }: { path: string; version: VersionRow; onRestored: () => void }) {
  const content = useQuery({
    queryKey: ['templates', path, 'versions', version.id],
    queryFn: () => api.get<Static<typeof TemplateVersion>>(`${path}/versions/${version.id}`),
  })
  const restore = useAct({
    run: () => api.post(`${path}/versions/${version.id}/restore`),
    refresh: ['templates'],
    done: 'It is the draft now',
  })
  if (content.isPending) return <Loading />
  if (content.isError) return <Failed error={content.error} />
  return (
    <div>
      <p className="preview-subject">{content.data.subject || <span className="muted">(no subject)</span>}</p>
      <HtmlFrame html={content.data.html} title="The version" />
      {!version.is_current && (
        <div className="actions">
          <Button isBusy={restore.isPending} onClick={() => restore.mutate(undefined, { onSuccess: onRestored })}>
            Restore this version
          </Button>
        </div>
      )}
    </div>
  )
}
