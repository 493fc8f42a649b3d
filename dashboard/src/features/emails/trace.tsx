import type { Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { Code } from '../../ui/page.tsx'
import { inSentenceCase } from '../../ui/sentence-case.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import './timeline.css'
import { texts } from './texts.ts'

type Entry = Reply<'emails.trace'>['timeline'][number]
type Attempt = NonNullable<Entry['attempt']>

/** How the email went, from the request to the last webhook: what is known of each step, in the order of time. */
export function EmailTrace({ id }: { id: string }) {
  const trace = useCall('emails.trace', { id })
  if (trace.isPending) return <Loading />
  if (trace.isError) return <Failed error={trace.error} onRetry={() => trace.refetch()} />
  const { timeline, recipients, idempotency_key, is_complete } = trace.data
  return (
    <>
      {idempotency_key && <p className="muted">{texts.trace.idempotencyKey(idempotency_key)}</p>}
      <ol className="timeline trace">
        {timeline.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: nothing else tells entries apart, and they stay in their order
          <TraceEntry key={index} entry={entry} isOnlyRecipient={recipients.length === 1} />
        ))}
      </ol>
      {!is_complete && <p className="muted">{texts.trace.more}</p>}
    </>
  )
}

function TraceEntry({ entry, isOnlyRecipient }: { entry: Entry; isOnlyRecipient: boolean }) {
  const { at, kind, recipients, summary, attempt, event, webhook } = entry
  const state = attempt?.outcome ?? event?.type.replace('email.', '') ?? kind
  const title = event ? inSentenceCase(state) : texts.trace.kinds[kind]
  return (
    <li className={state}>
      <strong>{title}</strong>
      <Time at={at} exact />
      {!isOnlyRecipient && recipients.length > 0 && <p className="muted">{recipients.join(', ')}</p>}
      {!event && summary !== title && <p>{summary}</p>}
      {attempt && <AttemptFacts attempt={attempt} />}
      {webhook && <p className="muted">{webhook.endpoint}</p>}
    </li>
  )
}

function AttemptFacts({ attempt }: { attempt: Attempt }) {
  const { route, destination, servers, address, source, tls, duration_ms, rule, dialogue } = attempt
  const facts = [
    ...(route ? [texts.trace.route(route, destination)] : []),
    ...(address ? [texts.trace.server(address)] : []),
    ...(source ? [texts.trace.source(source)] : []),
    ...(attempt.host ? [tls ?? texts.trace.notEncrypted] : []),
    ...(duration_ms === null ? [] : [texts.trace.duration(duration_ms)]),
    ...(rule ? [texts.recipients.rule(rule)] : []),
  ]
  return (
    <>
      {facts.length > 0 && <p className="muted">{facts.join(' · ')}</p>}
      {servers.length > 1 && <p className="muted">{texts.trace.servers(servers.join(', '))}</p>}
      {dialogue.length > 0 && (
        <details>
          <summary>{texts.trace.dialogue}</summary>
          <Code text={dialogue.map(lineOf).join('\n')} label={texts.trace.dialogue} />
        </details>
      )}
    </>
  )
}

const SIGNS = { client: '>', server: '<', note: '*' } as const

const lineOf = ({ ms, from, text }: Attempt['dialogue'][number]) =>
  `${ms === null ? '' : String(ms).padStart(6)} ${SIGNS[from]} ${text}`
