import type { Reply } from '../../api.ts'
import { Badge, type Tone } from '../badge.tsx'
import { formatPercent } from '../locale.ts'
import { texts } from './texts.ts'

export type Finding = Reply<'messages.checks'>['findings'][number]

const TONES: Readonly<Record<Finding['severity'], Tone>> = { error: 'bad', warning: 'warn', notice: 'plain' }

/** The rest is a click away. */
const SHOWN = 6

export function FindingGroup({ title, findings: all }: { title: string; findings: readonly Finding[] }) {
  const findings = firstOfEach(all)
  const rest = [...findings.slice(SHOWN), ...all.filter((finding) => !findings.includes(finding))]
  return (
    <section className="finding-group" aria-label={title}>
      <h3>
        {title} <span className="count">{all.length}</span>
      </h3>
      <Findings findings={findings.slice(0, SHOWN)} />
      {rest.length > 0 && (
        <details>
          <summary>{texts.checks.more(rest.length)}</summary>
          <Findings findings={rest} />
        </details>
      )}
    </section>
  )
}

/** Of findings that say the same about different places the first. */
function firstOfEach(findings: readonly Finding[]): Finding[] {
  const titles = new Set<string>()
  return findings.filter(({ title }) => !titles.has(title) && titles.add(title))
}

const Findings = ({ findings }: { findings: readonly Finding[] }) => (
  <ul className="findings">
    {findings.map((finding, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they do not change
      <FindingItem key={at} finding={finding} />
    ))}
  </ul>
)

function FindingItem({
  finding: { severity, title, detail, line, source, url, clients, share },
}: {
  finding: Finding
}) {
  return (
    <li>
      <p>
        <Badge word={severity} tone={TONES[severity]} /> <strong>{title}</strong>
        {url && (
          <a href={url} target="_blank" rel="noreferrer noopener">
            {texts.checks.readMore}
          </a>
        )}
      </p>
      {detail && <p className="muted">{detail}</p>}
      {line !== null && (
        <p className="finding-source">
          <span className="muted">{texts.checks.line(line)}</span>
          <code>{source}</code>
        </p>
      )}
      {clients && clients.length > 0 && (
        <details>
          <summary>
            {texts.checks.clients(clients.length)}
            {share !== null && share > 0 && (
              <span className="muted"> · {texts.checks.readers(formatPercent(share))}</span>
            )}
          </summary>
          <p className="muted">{clients.join(' · ')}</p>
        </details>
      )}
    </li>
  )
}
