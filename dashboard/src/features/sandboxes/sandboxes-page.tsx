import { useNavigate } from '@tanstack/react-router'
import { CreateSandbox } from '../../../../src/features/sandboxes/schema.ts'
import { call } from '../../api.ts'
import { Copyable } from '../../ui/copy.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'
import { nameOf } from './name.ts'
import { rememberSecrets } from './secrets.ts'

/** Tests make and delete them while somebody looks, and their clocks go on. */
const LOOK_MS = 5_000

export function SandboxesPage() {
  const navigate = useNavigate()
  return (
    <ResourcePage
      title="Sandboxes"
      one="sandbox"
      icon="flask"
      about="A sandbox is a team of its own for one test: with a key, a domain and a clock that you set. Nothing leaves it, and it goes with all that is in it. Tests make their own with POST /sandboxes, or with postwren/testing."
      list="sandboxes.list"
      input={{}}
      pageOfOne="/sandboxes/$id"
      nameOf={nameOf}
      refetchInterval={() => LOOK_MS}
      columns={[
        {
          name: 'Name',
          cell: ({ name, id }) => name ?? <span className="muted">{id.slice(-12)}</span>,
        },
        { name: 'Domain', kind: 'main', cell: ({ domain }) => <Copyable text={domain} what="the domain" /> },
        { name: 'Time in it', cell: ({ now }) => <Time at={now} exact /> },
        { name: 'Made', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
        { name: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
      ]}
      create={{
        shape: CreateSandbox,
        act: 'Make a sandbox',
        fields: [
          {
            name: 'name',
            label: 'Name',
            hint: 'What you are trying out. Two may have the same.',
            placeholder: 'sign-up',
          },
          {
            name: 'expires_in',
            label: 'Expires in',
            hint: 'Words like “2 hours”; at most 7 days. One hour unless said.',
            offers: ['1 hour', '8 hours', '1 day', '7 days'],
          },
          {
            name: 'seed',
            label: 'Seed',
            hint: 'What chance in its scenario is made from: the same seed gives the same story.',
          },
        ],
        run: (body) => call('sandboxes.create', { body }),
        onCreated: (created) => {
          rememberSecrets(created)
          void navigate({ to: '/sandboxes/$id', params: { id: created.id }, search: { tab: 'connect' } })
        },
      }}
      remove={{
        note: 'Its mail, its contacts and everything else in it go with it, and its key no longer works.',
        run: ({ id }) => call('sandboxes.remove', { id }),
      }}
    />
  )
}
