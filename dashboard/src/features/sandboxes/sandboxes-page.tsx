import { useNavigate } from '@tanstack/react-router'
import { CreateSandbox } from '../../../../src/features/sandboxes/schema.ts'
import { call } from '../../api.ts'
import { Copyable } from '../../ui/copy.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'
import { nameOf } from './name.ts'
import { rememberSecrets } from './secrets.ts'

/** Tests make and delete them while somebody looks, and their clocks go on. */
const POLL_INTERVAL_MS = 5_000

export function SandboxesPage() {
  const navigate = useNavigate()
  return (
    <ResourcePage
      title="Sandboxes"
      one="sandbox"
      icon="flask"
      about="An isolated team for one test, with its own API key, domain and adjustable clock. No email leaves it, and all its data is deleted when it expires. Tests create their own with POST /sandboxes or postwren/testing."
      list="sandboxes.list"
      input={{}}
      pageOfOne="/sandboxes/$id"
      nameOf={nameOf}
      refetchInterval={() => POLL_INTERVAL_MS}
      columns={[
        {
          name: 'Name',
          cell: ({ name, id }) => name ?? <span className="muted">{id.slice(-12)}</span>,
        },
        { name: 'Domain', kind: 'main', cell: ({ domain }) => <Copyable text={domain} what="domain" /> },
        { name: 'Current time', cell: ({ now }) => <Time at={now} exact /> },
        { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
        { name: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
      ]}
      create={{
        shape: CreateSandbox,
        act: 'Create sandbox',
        fields: [
          {
            name: 'name',
            label: 'Name',
            hint: 'What you are testing. Names do not have to be unique.',
            placeholder: 'sign-up',
          },
          {
            name: 'expires_in',
            label: 'Expires in',
            hint: 'Example: “2 hours”. Default: 1 hour. Maximum: 7 days.',
            offers: ['1 hour', '8 hours', '1 day', '7 days'],
          },
          {
            name: 'seed',
            label: 'Seed',
            hint: 'Seed of the random numbers in its scenario: the same seed gives the same results.',
          },
        ],
        run: (body) => call('sandboxes.create', { body }),
        onCreated: (created) => {
          rememberSecrets(created)
          void navigate({ to: '/sandboxes/$id', params: { id: created.id }, search: { tab: 'connect' } })
        },
      }}
      remove={{
        note: 'All its data is deleted, and its API key stops working.',
        run: ({ id }) => call('sandboxes.remove', { id }),
      }}
    />
  )
}
