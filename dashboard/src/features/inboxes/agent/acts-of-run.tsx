import { Icon } from '../../../ui/icons.tsx'
import { type Act, quietSentenceOf, type Run, sentenceOf } from './sentences.ts'
import './acts-of-run.css'

/** What it did with one message, each with its reason; or why it did nothing. */
export const ActsOfRun = ({ run }: { run: Run }) => (
  <div className="agent-acts">
    {run.acts.length > 0 && (
      <ul>
        {run.acts.map((act, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: acts are a history, and have no other identity
          <ActLine key={index} act={act} />
        ))}
      </ul>
    )}
    {(run.acts.length === 0 || run.status === 'failed') && <p className="muted">{quietSentenceOf(run)}</p>}
  </div>
)

const ActLine = ({ act }: { act: Act }) => {
  const isDone = act.outcome === 'done'
  return (
    <li className={isDone ? 'done' : 'refused'}>
      <Icon name={isDone ? 'check' : 'block'} size={14} />
      <span>
        <strong>{sentenceOf(act)}</strong>
        {!isDone && act.detail && <span>: {act.detail}</span>}
        {act.reason && <q className="muted">{act.reason}</q>}
      </span>
    </li>
  )
}
