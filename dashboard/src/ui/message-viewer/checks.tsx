import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import type { Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { Badge } from '../badge.tsx'
import { Button } from '../button.tsx'
import { Icon } from '../icons.tsx'
import { formatNumber, formatPercent } from '../locale.ts'
import { rich } from '../rich.tsx'
import { Failed, Loading } from '../states.tsx'
import { type Finding, FindingGroup } from './findings.tsx'
import { SpamScore } from './spam-score.tsx'
import './checks.css'
import { texts } from './texts.ts'

type Checks = Reply<'messages.checks'>
type CheckName = Finding['check']

const NAMES: Readonly<Record<CheckName, string>> = {
  clients: texts.checks.names.clients,
  links: texts.checks.names.links,
  images: texts.checks.names.images,
  accessibility: texts.checks.names.accessibility,
  dark_mode: texts.checks.names.darkMode,
  clipping: texts.checks.names.length,
  text: texts.checks.names.text,
  unsubscribe: texts.checks.names.unsubscribe,
  sender: texts.checks.names.sender,
  dmarc: texts.checks.names.dmarc,
  tracking: texts.checks.names.tracking,
  spam: texts.checks.names.spam,
}

/** What is worth a look in a message before people get it. */
export function MessageChecks({ id, sandbox }: { id: string; sandbox?: string | undefined }) {
  const [asksServers, setAsksServers] = useState(false)
  const checks = useCall(
    'messages.checks',
    { id, ...(asksServers && { links: 'true' as const }) },
    // A message does not change, and servers are not asked again by themselves.
    { sandbox, staleTime: Number.POSITIVE_INFINITY, placeholderData: keepPreviousData },
  )
  if (checks.isPending) return <Loading />
  if (checks.isError) return <Failed error={checks.error} onRetry={() => checks.refetch()} />
  return (
    <div className="checks">
      <Summary checks={checks.data} />
      {groupsOf(checks.data.findings.filter(isMajor)).map(([name, findings]) => (
        <FindingGroup key={name} title={NAMES[name]} findings={findings} />
      ))}
      <Minor findings={checks.data.findings.filter((finding) => !isMajor(finding))} />
      {checks.data.spam && <SpamScore spam={checks.data.spam} />}
      <Passed passed={checks.data.passed} />
      {checks.data.support !== null && (
        <div className="ask-servers">
          <Button icon="globe" disabled={asksServers} onClick={() => setAsksServers(true)}>
            {texts.checks.request.start}
          </Button>
          <small className="muted" role="status">
            {!asksServers && texts.checks.request.note}
            {asksServers && (checks.isFetching ? texts.checks.request.running : texts.checks.request.done)}
          </small>
        </div>
      )}
    </div>
  )
}

const isMajor = ({ impact }: Finding) => impact === 'major'

/** What harms nobody, or next to nobody: there for who wants to know. */
function Minor({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  return (
    <details className="minor">
      <summary>{texts.checks.minor.title(findings.length)}</summary>
      <p className="muted">{texts.checks.minor.note}</p>
      {groupsOf(findings).map(([name, group]) => (
        <FindingGroup key={name} title={NAMES[name]} findings={group} />
      ))}
    </details>
  )
}

/** In the order in which the first of each comes: the gravest first. */
function groupsOf(findings: readonly Finding[]): (readonly [CheckName, Finding[]])[] {
  const groups = new Map<CheckName, Finding[]>()
  for (const finding of findings) groups.set(finding.check, [...(groups.get(finding.check) ?? []), finding])
  return [...groups]
}

function Summary({ checks: { findings, support } }: { checks: Checks }) {
  const major = findings.filter(isMajor)
  const count = (severity: Finding['severity']) => major.filter((one) => one.severity === severity).length
  const [errors, warnings, notices] = [count('error'), count('warning'), count('notice')]
  return (
    <div className="checks-summary">
      <p>
        {errors > 0 && <Badge word={texts.checks.errors(errors)} tone="bad" />}
        {warnings > 0 && <Badge word={texts.checks.warnings(warnings)} tone="warn" />}
        {notices > 0 && <Badge word={texts.checks.notices(notices)} />}
        {major.length === 0 && <Badge word={texts.checks.noIssues} tone="good" />}
      </p>
      {support && (
        <div className="support">
          <div className="support-bar" aria-hidden="true">
            <span className="full" style={{ width: `${support.supported}%` }} />
            <span className="part" style={{ width: `${support.partial}%` }} />
          </div>
          <p>
            {rich(texts.checks.support, {
              supported: <strong>{formatPercent(support.supported)}</strong>,
              partial: formatPercent(support.partial),
              unsupported: formatPercent(support.unsupported),
            })}{' '}
            <small className="muted">
              {texts.checks.supportSource(
                texts.checks.features(support.features),
                formatNumber(support.clients),
                support.data_updated_at,
              )}
            </small>
          </p>
        </div>
      )}
    </div>
  )
}

function Passed({ passed }: Pick<Checks, 'passed'>) {
  if (passed.length === 0) return null
  return (
    <details className="passed">
      <summary>{texts.checks.passed(passed.length)}</summary>
      <ul>
        {passed.map(({ check, title }) => (
          <li key={check}>
            <Icon name="check" />
            {title}
          </li>
        ))}
      </ul>
    </details>
  )
}
