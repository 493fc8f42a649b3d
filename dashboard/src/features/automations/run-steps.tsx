import { Link } from '@tanstack/react-router'
import { Badge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import { type Graph, stepOf } from './graph.ts'
import type { FullRun } from './run-page.tsx'
import { type Names, sentenceOf } from './sentences.ts'
import '../../ui/table.css'
import './run-steps.css'
import { texts } from './texts.ts'

interface RunStepsProps {
  readonly run: FullRun
  readonly graph: Graph
  readonly order: readonly string[]
  readonly names: Names
}

/** What became of each step, row by row. */
export function RunSteps({ run, graph, order, names }: RunStepsProps) {
  const states = order.flatMap((key) => run.steps.filter((step) => step.key === key))
  return (
    <div className="table-wrap steps-table run-steps">
      <table aria-label={texts.run.steps.label}>
        <thead>
          <tr>
            <th scope="col">{texts.run.steps.columns.step}</th>
            <th scope="col">{texts.run.steps.columns.status}</th>
            <th scope="col">{texts.run.steps.columns.started}</th>
            <th scope="col">{texts.run.steps.columns.ended}</th>
            <th scope="col">{texts.run.steps.columns.output}</th>
          </tr>
        </thead>
        <tbody>
          {states.map((state) => (
            <tr key={state.key}>
              <td>{stepOf(graph, state.key) ? sentenceOf(stepOf(graph, state.key)!, names) : state.key}</td>
              <td>
                <Badge word={state.status} />
              </td>
              <td>
                <Time at={state.started_at} exact />
              </td>
              <td>
                <Time at={state.completed_at} exact />
              </td>
              <td>
                <Outcome output={state.output} error={state.error} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type State = FullRun['steps'][number]

function Outcome({ output, error }: Pick<State, 'output' | 'error'>) {
  if (error) return <span className="run-error">{String(error.message ?? JSON.stringify(error))}</span>
  if (!output) return <span className="muted">–</span>
  return (
    <>
      <code className="run-output">{JSON.stringify(output)}</code>
      {typeof output.email_id === 'string' && (
        <div>
          <Link to="/emails/$id" params={{ id: output.email_id }}>
            {texts.run.steps.viewEmail}
          </Link>
        </div>
      )}
    </>
  )
}
