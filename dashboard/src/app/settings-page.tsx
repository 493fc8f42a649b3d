import { Link } from '@tanstack/react-router'
import type { Installation } from '../../../src/gateways/dashboard/installation.ts'
import type { Reply } from '../api.ts'
import { PersonalData } from '../features/personal-data/personal-data.tsx'
import { TeamSettings } from '../features/team/team-settings.tsx'
import { useCall } from '../queries.ts'
import { Badge } from '../ui/badge.tsx'
import { formatNumber } from '../ui/locale.ts'
import { Card, Facts, Page } from '../ui/page.tsx'
import { rich } from '../ui/rich.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { useSession } from './session.ts'
import { texts } from './texts.ts'
import { type Theme, useTheme } from './theme.ts'

function deliveryOf({ delivery, relay }: Installation): string {
  const text = texts.settings.deliveries[delivery]
  return relay ? texts.settings.throughRelay(text, relay) : text
}

export function SettingsPage() {
  const { data: session } = useSession()
  const usage = useCall('usage.get', {})
  const { theme, setTheme } = useTheme()
  if (!session) return <Loading />
  const { installation, team, expires_at } = session
  return (
    <Page title={texts.settings.title}>
      <Card title={texts.settings.installation}>
        <p className="muted">{texts.settings.installationNote}</p>
        <Facts
          facts={[
            [
              texts.settings.version,
              texts.settings.versions(installation.version, installation.node.slice(1), installation.platform),
            ],
            [texts.settings.roles, installation.roles.map((role) => <Badge key={role} word={role} tone="plain" />)],
            [texts.settings.delivery, deliveryOf(installation)],
            [
              texts.settings.database,
              installation.database === 'embedded' ? texts.settings.embedded : texts.settings.external,
            ],
            [texts.settings.attachments, installation.attachments === 'S3' ? 'S3' : texts.settings.localFiles],
            [texts.settings.publicUrl, installation.public_url ?? location.origin],
            [texts.settings.smtpPort, installation.smtp_port],
            [texts.settings.hostName, installation.host_name],
            [texts.settings.retention, installation.retention],
          ]}
        />
      </Card>
      <TeamSettings />
      <PersonalData />
      <Card title={texts.usage.title}>
        {usage.isError && <Failed error={usage.error} />}
        {usage.data && <Facts facts={usageFacts(usage.data)} />}
      </Card>
      <Card title={texts.settings.you}>
        <Facts
          facts={[
            [texts.settings.team, team?.name],
            session.user
              ? [texts.settings.user, session.user.name || session.user.email]
              : [texts.settings.apiKey, session.key?.name],
            [texts.settings.sessionEnds, <Time key="until" at={expires_at} exact />],
            [
              texts.settings.theme,
              <select
                key="theme"
                aria-label={texts.settings.theme}
                value={theme}
                onChange={(event) => setTheme(event.currentTarget.value as Theme)}
              >
                <option value="system">{texts.settings.systemTheme}</option>
                <option value="light">{texts.settings.lightTheme}</option>
                <option value="dark">{texts.settings.darkTheme}</option>
              </select>,
            ],
            [texts.keys.title, <Shortcuts key="keys" />],
            [
              texts.onboarding.title,
              <Link key="start" to="/get-started">
                {texts.settings.onboarding}
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
  limit === null || limit > MOST ? formatNumber(used) : texts.usage.usedOf(formatNumber(used), formatNumber(limit))

const usageFacts = ({ emails, contacts, segments, broadcasts, domains, webhooks, rate_limit }: Reply<'usage.get'>) =>
  [
    [texts.usage.emailsToday, usedOf(emails.daily)],
    [texts.usage.emailsThisMonth, usedOf(emails.monthly)],
    [texts.usage.contacts, usedOf(contacts)],
    [texts.usage.segments, usedOf(segments)],
    [texts.usage.broadcasts, usedOf(broadcasts)],
    [texts.usage.domains, usedOf(domains)],
    [texts.usage.webhooks, usedOf(webhooks)],
    [
      texts.usage.rateLimit,
      rate_limit.limit > MOST ? texts.usage.noRateLimit : texts.usage.requestsPerSecond(rate_limit.limit),
    ],
  ] as const

const Shortcuts = () => <span>{rich(texts.settings.shortcuts, { key: <kbd>?</kbd> })}</span>
