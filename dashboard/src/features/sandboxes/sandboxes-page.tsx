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
      title={texts.sandboxes2}
      one="sandbox"
      icon="flask"
      about={texts.isolatedTeamOneTest}
      list="sandboxes.list"
      input={{}}
      pageOfOne="/sandboxes/$id"
      nameOf={nameOf}
      refetchInterval={() => POLL_INTERVAL_MS}
      columns={[
        {
          name: texts.name,
          kind: 'title',
          cell: ({ name, id }) => name ?? <span className="muted">{id.slice(-12)}</span>,
        },
        { name: texts.domain, cell: ({ domain }) => <Copyable text={domain} what="domain" /> },
        { name: texts.currentTime, kind: 'aside', cell: ({ now }) => <Time at={now} exact /> },
        { name: texts.created, kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
        { name: texts.expires2, kind: 'time', cell: ({ expires_at }) => <Time at={expires_at} /> },
      ]}
      create={{
        shape: CreateSandbox,
        act: texts.createSandbox,
        fields: [
          {
            name: 'name',
            label: texts.name,
            hint: texts.whatYouTestingNames,
            placeholder: 'sign-up',
          },
          {
            name: 'expires_in',
            label: texts.expires3,
            hint: texts.example2HoursDefault,
            offers: ['1 hour', '8 hours', '1 day', '7 days'],
          },
          {
            name: 'seed',
            label: texts.seed,
            hint: texts.seedRandomNumbersScenario,
          },
        ],
        run: (body) => call('sandboxes.create', { body }),
        onCreated: (created) => {
          rememberSecrets(created)
          void navigate({ to: '/sandboxes/$id', params: { id: created.id }, search: { tab: 'connect' } })
        },
      }}
      remove={{
        note: texts.allDataDeletedApi,
        run: ({ id }) => call('sandboxes.remove', { id }),
      }}
    />
  )
}
