import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import type { Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { Badge } from '../badge.tsx'
import { Button } from '../button.tsx'
import { Icon } from '../icons.tsx'
import { Failed, Loading } from '../states.tsx'
import { type Finding, FindingGroup } from './findings.tsx'
import { SpamScore } from './spam-score.tsx'
import './checks.css'
import { texts } from '../texts.ts'

type Checks = Reply<'messages.checks'>
type CheckName = Finding['check']

const NAMES: Readonly<Record<CheckName, string>> = {
  clients: texts.mailClients,
  links: texts.links,
  images: texts.images,
  accessibility: texts.accessibility,
  dark_mode: texts.darkMode,
  clipping: texts.length,
  text: texts.textPart,
  unsubscribe: texts.unsubscribe,
  spam: texts.spam,
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
            {texts.checkLinksImages}
          </Button>
          <small className="muted" role="status">
            {!asksServers && texts.requestsEachUrlFind}
            {asksServers && (checks.isFetching ? texts.checking : texts.checked)}
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
      <summary>{counted(findings.length, 'minor finding')}</summary>
      <p className="muted">{texts.theseDoNotAffect}</p>
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

const counted = (count: number, word: string) => `${count} ${count === 1 ? word : `${word}s`}`

function Summary({ checks: { findings, support } }: { checks: Checks }) {
  const major = findings.filter(isMajor)
  const count = (severity: Finding['severity']) => major.filter((one) => one.severity === severity).length
  const [errors, warnings, notices] = [count('error'), count('warning'), count('notice')]
  return (
    <div className="checks-summary">
      <p>
        {errors > 0 && <Badge word={counted(errors, 'error')} tone="bad" />}
        {warnings > 0 && <Badge word={counted(warnings, 'warning')} tone="warn" />}
        {notices > 0 && <Badge word={counted(notices, 'notice')} />}
        {major.length === 0 && <Badge word="no issues" tone="good" />}
      </p>
      {support && (
        <div className="support">
          <div className="support-bar" aria-hidden="true">
            <span className="full" style={{ width: `${support.supported}%` }} />
            <span className="part" style={{ width: `${support.partial}%` }} />
          </div>
          <p>
            <strong>{support.supported} %</strong>
            {texts.supportedPartiallyUnsupported(support.partial, support.unsupported)}
            <small className="muted">
              {texts.htmlCssMailClients(counted(support.features, 'feature'), support.clients, support.data_updated_at)}
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
      <summary>{texts.passed(passed.length)}</summary>
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
