import { Link } from '@tanstack/react-router'
import type { Reply } from '../api.ts'
import { TeamSettings } from '../features/team/team-settings.tsx'
import { useCall } from '../queries.ts'
import { Badge } from '../ui/badge.tsx'
import { formatNumber } from '../ui/locale.ts'
import { Card, Facts, Page } from '../ui/page.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { useSession, whoIs } from './session.ts'
import { texts } from './texts.ts'
import { type Theme, useTheme } from './theme.ts'

const DELIVERY = {
  inbox: texts.sandboxNoEmailLeaves,
  relay: texts.relayAllEmailGoes,
  direct: texts.directMailServersRecipients,
}

export function SettingsPage() {
  const { data: session } = useSession()
  const usage = useCall('usage.get', {})
  const { theme, setTheme } = useTheme()
  if (!session) return <Loading />
  const { installation, team, expires_at } = session
  return (
    <Page title={texts.settings}>
      <Card title={texts.installation2}>
        <p className="muted">{texts.setByEnvironmentVariables}</p>
        <Facts
          facts={[
            [
              texts.version,
              texts.postwrenNode(installation.version, installation.node.slice(1), installation.platform),
            ],
            [texts.runs, installation.roles.map((role) => <Badge key={role} word={role} tone="plain" />)],
            [texts.delivery, DELIVERY[installation.delivery] + (installation.relay ? ` (${installation.relay})` : '')],
            [
              texts.database,
              installation.database === 'embedded' ? texts.embeddedPostgresql : texts.externalPostgresql,
            ],
            [texts.attachments, installation.attachments === 'S3' ? 'S3' : texts.localFiles],
            [texts.publicUrl, installation.public_url ?? location.origin],
            [texts.smtpPort, installation.smtp_port],
            [texts.hostName, installation.host_name],
            [texts.logRetention, `${installation.log_retention_days} days`],
            [texts.eventRetention, `${installation.event_retention_days} days`],
          ]}
        />
      </Card>
      <TeamSettings />
      <Card title={texts.usage}>
        {usage.isError && <Failed error={usage.error} />}
        {usage.data && <Facts facts={usageFacts(usage.data)} />}
      </Card>
      <Card title={texts.you}>
        <Facts
          facts={[
            [texts.team2, team?.name],
            [texts.signed2, whoIs(session)],
            [texts.sessionEnds, <Time key="until" at={expires_at} exact />],
            [
              texts.theme,
              <select
                key="theme"
                aria-label={texts.theme}
                value={theme}
                onChange={(event) => setTheme(event.currentTarget.value as Theme)}
              >
                <option value="system">{texts.system}</option>
                <option value="light">{texts.light}</option>
                <option value="dark">{texts.dark}</option>
              </select>,
            ],
            [texts.keyboardShortcuts, <Shortcuts key="keys" />],
            [
              texts.getStarted,
              <Link key="start" to="/get-started">
                {texts.stepsCodeSnippets}
              </Link>,
            ],
          ]}
        />
      </Card>
    </Page>
  )
}

/** What clients take for a number where there is no limit is far beyond this. */
const MOST = 1_000_000_000_000

const usedOf = ({ used, limit }: { used: number; limit: number | null }) =>
  limit === null || limit > MOST ? formatNumber(used) : `${formatNumber(used)} of ${formatNumber(limit)}`

const usageFacts = ({ emails, contacts, segments, broadcasts, domains, webhooks, rate_limit }: Reply<'usage.get'>) =>
  [
    [texts.emailsToday, usedOf(emails.daily)],
    [texts.emailsMonth, usedOf(emails.monthly)],
    [texts.contacts, usedOf(contacts)],
    [texts.segments, usedOf(segments)],
    [texts.broadcasts, usedOf(broadcasts)],
    [texts.domains, usedOf(domains)],
    [texts.webhooks, usedOf(webhooks)],
    [texts.rateLimit, rate_limit.limit > MOST ? texts.off : texts.requestsPerSecond(formatNumber(rate_limit.limit))],
  ] as const

const Shortcuts = () => (
  <span>
    <kbd>g</kbd>
    {texts.and}
    <kbd>e</kbd>
    {texts.emails}
    <kbd>d</kbd>
    {texts.domainsBefore}
    <kbd>c</kbd>
    {texts.contactsBefore}
    <kbd>l</kbd>
    {texts.logsBefore}
    <kbd>j</kbd> <kbd>k</kbd>
    {texts.rows}
    <kbd>/</kbd>
    {texts.filter}
  </span>
)
