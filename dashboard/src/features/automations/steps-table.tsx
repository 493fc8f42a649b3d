import { Badge } from '../../ui/badge.tsx'
import { rich } from '../../ui/rich.tsx'
import { countersText, type StepCounters } from './counters.ts'
import type { Editing } from './editing.ts'
import { outletsOf, type Step, stepOf, targetOf } from './graph.ts'
import { sentenceOf } from './sentences.ts'
import '../../ui/table.css'
import { texts } from './texts.ts'

interface StepsTableProps {
  readonly editing: Editing
  readonly counters: ReadonlyMap<string, StepCounters>
  readonly onRemove: (key: string) => void
}

/** The same graph, row by row, for those who do not see the canvas or have no room for it. */
export function StepsTable({ editing, counters, onRemove }: StepsTableProps) {
  const { graph, layout, resources, problems, selected, select } = editing
  const steps = layout.order.map((key) => stepOf(graph, key)!).filter((step) => step !== undefined)
  return (
    <div className="table-wrap steps-table">
      <table className="active" aria-label={texts.stepsTable.label}>
        <thead>
          <tr>
            <th scope="col">{texts.stepsTable.columns.step}</th>
            <th scope="col">{texts.stepsTable.columns.next}</th>
            <th scope="col" className="aside">
              {texts.stepsTable.columns.totals}
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr key={step.key} aria-current={step.key === selected ? 'true' : undefined}>
              <td>
                <button
                  type="button"
                  className="row-link"
                  data-step={step.key}
                  onClick={() => select(step.key, 'form')}
                  onKeyDown={(event) => {
                    if ((event.key === 'Delete' || event.key === 'Backspace') && step.type !== 'trigger')
                      onRemove(step.key)
                  }}
                >
                  {sentenceOf(step, resources)}
                </button>
                <StepNote step={step} problem={problems.get(step.key)?.text} />
              </td>
              <td>{leadsTo(editing, step)}</td>
              <td className="aside muted">{countersText(counters.get(step.key))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const StepNote = ({ step, problem }: { step: Step; problem: string | undefined }) => (
  <small className="muted">
    {texts.stepNames[step.type]} {problem && <Badge word={problem} tone="warn" />}
  </small>
)

function leadsTo({ graph, resources }: Editing, step: Step) {
  const outlets = outletsOf(step)
  if (outlets.length === 0) return <span className="muted">{texts.stepsTable.end}</span>
  return (
    <ul>
      {outlets.map((outlet) => {
        const target = stepOf(graph, targetOf(graph, outlet) ?? null)
        const step = target ? sentenceOf(target, resources) : <span className="muted">{texts.stepsTable.end}</span>
        const name = <span className="muted">{texts.outlets[outlet.type]}</span>
        return (
          <li key={outlet.type}>
            {outlet.type === 'default' ? step : rich(texts.stepsTable.outletTo, { outlet: name, step })}
          </li>
        )
      })}
    </ul>
  )
}
