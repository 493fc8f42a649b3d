import type { Reply } from '../api.ts'
import { TeamSettings } from '../features/team/team-settings.tsx'
import { useCall } from '../queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Card, Facts, Page } from '../ui/page.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { useSession, whoIs } from './session.ts'
import { type Theme, useTheme } from './theme.ts'

const DELIVERY = {
  inbox: 'Sandbox: no email leaves this machine',
  relay: 'Relay: all email goes through one SMTP server',
  direct: 'Direct: to the mail servers of the recipients',
}

export function SettingsPage() {
  const { data: session } = useSession()
  const usage = useCall('usage.get', {})
  const { theme, setTheme } = useTheme()
  if (!session) return <Loading />
  const { installation, team, expires_at } = session
  return (
    <Page title="Settings" note="Read-only: set by environment variables, listed in docs/configuration.md.">
      <Card title="This installation">
        <Facts
          facts={[
            [
              'Version',
              `Postwren ${installation.version} · Node ${installation.node.slice(1)} · ${installation.platform}`,
            ],
            ['Runs', installation.roles.map((role) => <Badge key={role} word={role} tone="plain" />)],
            ['Delivery', DELIVERY[installation.delivery] + (installation.relay ? ` (${installation.relay})` : '')],
            ['Database', installation.database === 'embedded' ? 'Embedded PostgreSQL' : 'External PostgreSQL'],
            ['Attachments', installation.attachments === 'S3' ? 'S3' : 'Local files'],
            ['Public URL', installation.public_url ?? location.origin],
            ['SMTP port', installation.smtp_port],
            ['Host name', installation.host_name],
            ['Log retention', `${installation.log_retention_days} days`],
            ['Event retention', `${installation.event_retention_days} days`],
          ]}
        />
      </Card>
      <TeamSettings />
      <Card title="Usage">
        {usage.isError && <Failed error={usage.error} />}
        {usage.data && <Facts facts={usageFacts(usage.data)} />}
      </Card>
      <Card title="You">
        <Facts
          facts={[
            ['Team', team?.name],
            ['Signed in', whoIs(session)],
            ['Session ends', <Time key="until" at={expires_at} exact />],
            [
              'Theme',
              <select
                key="theme"
                aria-label="Theme"
                value={theme}
                onChange={(event) => setTheme(event.currentTarget.value as Theme)}
              >
                <option value="system">system</option>
                <option value="light">light</option>
                <option value="dark">dark</option>
              </select>,
            ],
            ['Keys', <Shortcuts key="keys" />],
          ]}
        />
      </Card>
    </Page>
  )
}

/** What clients take for a number where there is no limit is far beyond this. */
const MOST = 1_000_000_000_000

const usedOf = ({ used, limit }: { used: number; limit: number | null }) =>
  limit === null || limit > MOST
    ? used.toLocaleString('en')
    : `${used.toLocaleString('en')} of ${limit.toLocaleString('en')}`

const usageFacts = ({ emails, contacts, segments, broadcasts, domains, webhooks, rate_limit }: Reply<'usage.get'>) =>
  [
    ['Emails today', usedOf(emails.daily)],
    ['Emails this month', usedOf(emails.monthly)],
    ['Contacts', usedOf(contacts)],
    ['Segments', usedOf(segments)],
    ['Broadcasts', usedOf(broadcasts)],
    ['Domains', usedOf(domains)],
    ['Webhooks', usedOf(webhooks)],
    ['Rate limit', rate_limit.limit > MOST ? 'off' : `${rate_limit.limit.toLocaleString('en')} requests per second`],
  ] as const

const Shortcuts = () => (
  <span>
    <kbd>g</kbd> and <kbd>e</kbd> emails, <kbd>d</kbd> domains, <kbd>c</kbd> contacts, <kbd>l</kbd> logs … ·{' '}
    <kbd>j</kbd> <kbd>k</kbd> rows · <kbd>/</kbd> filter
  </span>
)
