import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call, type Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { rich } from '../../ui/rich.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { ClockTab } from './clock/clock-tab.tsx'
import { useAdvance } from './clock/use-advance.ts'
import { Connect } from './connect.tsx'
import { nameOf } from './name.ts'
import { ScenarioTab } from './scenario/scenario-tab.tsx'
import { texts } from './texts.ts'

type Sandbox = Reply<'sandboxes.get'>

/** As the address names them, and as people read them. */
const TABS = {
  mail: texts.sandbox.tabs.mail,
  clock: texts.sandbox.tabs.clock,
  scenario: texts.sandbox.tabs.scenario,
  connect: texts.sandbox.tabs.connect,
} as const
type TabName = keyof typeof TABS
const isTab = (name: string | undefined): name is TabName => name !== undefined && Object.hasOwn(TABS, name)

interface SandboxPageProps {
  readonly smtpPort: number
  readonly mail: (sandbox: Sandbox) => ReactNode
}

export function SandboxPage({ smtpPort, mail }: SandboxPageProps) {
  const { id } = useParams({ from: '/sandboxes/$id' })
  const sandbox = useCall('sandboxes.get', { id })
  if (sandbox.isPending) return <Loading />
  if (sandbox.isError) return <Failed error={sandbox.error} onRetry={() => sandbox.refetch()} />
  return <Opened key={id} sandbox={sandbox.data} {...{ smtpPort, mail }} />
}

function Opened({ sandbox, smtpPort, mail }: SandboxPageProps & { sandbox: Sandbox }) {
  const { id, expires_at } = sandbox
  const navigate = useNavigate()
  const { tab } = useSearch({ from: '/sandboxes/$id' })
  // Here, and not in its tab: an advance goes on while somebody looks at the mail that it makes.
  const advance = useAdvance(id)
  const open = isTab(tab) ? tab : 'mail'
  return (
    <Page
      title={nameOf(sandbox)}
      note={rich(texts.sandbox.expires, { time: <Time at={expires_at} /> })}
      actions={<Removal sandbox={sandbox} />}
    >
      <Tabs
        label={texts.sandbox.tabsLabel}
        open={TABS[open]}
        onOpen={(name) => {
          const [next] = Object.entries(TABS).find(([, label]) => label === name)!
          void navigate({ to: '.', search: { tab: next } })
        }}
        tabs={[
          { name: TABS.mail, content: mail(sandbox) },
          { name: TABS.clock, content: <ClockTab sandbox={id} advance={advance} /> },
          { name: TABS.scenario, content: <ScenarioTab sandbox={id} /> },
          { name: TABS.connect, content: <Connect sandbox={sandbox} smtpPort={smtpPort} /> },
        ]}
      />
    </Page>
  )
}

function Removal({ sandbox }: { sandbox: Sandbox }) {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const remove = useAct({
    run: () => call('sandboxes.remove', { id: sandbox.id }),
    done: texts.deleteDialog.done,
    refresh: ['sandboxes.list'],
  })
  return (
    <>
      <Button icon="trash" needs="sandboxes.remove" onClick={() => setOpen(true)}>
        {texts.deleteDialog.open}
      </Button>
      <Confirm
        title={texts.deleteDialog.title(nameOf(sandbox))}
        note={texts.deleteDialog.note}
        act={texts.deleteDialog.confirm}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() =>
          remove.mutateAsync().then(() => navigate({ to: '/sandboxes', search: {}, ignoreBlocker: true }))
        }
      />
    </>
  )
}
