import { useNavigate } from '@tanstack/react-router'
import { CreateSandbox } from '../../../../src/features/sandboxes/schema.ts'
import { call } from '../../api.ts'
import { Copyable } from '../../ui/copy.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'
import { nameOf } from './name.ts'
import { rememberSecrets } from './secrets.ts'
import { texts } from './texts.ts'

/** Tests make and delete them while somebody looks, and their clocks go on. */
const POLL_INTERVAL_MS = 5_000

export function SandboxesPage() {
  const navigate = useNavigate()
  return (
    <ResourcePage
      title={texts.page.title}
      one={texts.page.one}
      icon="flask"
      about={texts.page.about}
      list="sandboxes.list"
      input={{}}
      pageOfOne="/sandboxes/$id"
      nameOf={nameOf}
      refetchInterval={() => POLL_INTERVAL_MS}
      columns={[
        {
          name: texts.fields.name,
          kind: 'title',
          cell: ({ name, id }) => name ?? <span className="muted">{id.slice(-12)}</span>,
        },
        { name: texts.fields.domain, cell: ({ domain }) => <Copyable text={domain} what={texts.copied.domain} /> },
        { name: texts.fields.currentTime, kind: 'aside', cell: ({ now }) => <Time at={now} exact /> },
        { name: texts.fields.created, kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
        { name: texts.fields.expires, kind: 'time', cell: ({ expires_at }) => <Time at={expires_at} /> },
      ]}
      create={{
        shape: CreateSandbox,
        act: texts.page.create,
        fields: [
          {
            name: 'name',
            label: texts.fields.name,
            hint: texts.fields.nameHint,
            placeholder: texts.fields.namePlaceholder,
          },
          {
            name: 'expires_in',
            label: texts.fields.expiresIn,
            hint: texts.fields.expiresInHint,
            offers: ['1 hour', '8 hours', '1 day', '7 days'],
          },
          {
            name: 'seed',
            label: texts.fields.seed,
            hint: texts.fields.seedHint,
          },
        ],
        run: (body) => call('sandboxes.create', { body }),
        onCreated: (created) => {
          rememberSecrets(created)
          void navigate({ to: '/sandboxes/$id', params: { id: created.id }, search: { tab: 'connect' } })
        },
      }}
      remove={{
        note: texts.deleteDialog.note,
        run: ({ id }) => call('sandboxes.remove', { id }),
      }}
    />
  )
}
