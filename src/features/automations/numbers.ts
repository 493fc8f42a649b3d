import type { Static } from 'typebox'
import type { CountedGraph } from './queries.ts'
import type { AutomationNumbers } from './schema.ts'

/** Of the steps and connections that the automation has now. What a step had before an edit stays with its key. */
export function presentNumbers(id: string, counted: CountedGraph): Static<typeof AutomationNumbers> {
  const countOf = (step: string, name: string) => counted.counts[step]?.[name] ?? 0
  const steps = counted.steps.map(({ key }) => {
    const of = (name: string) => countOf(key, name)
    const [entered, completed, failed, skipped, cancelled] = [
      of('entered'),
      of('completed'),
      of('failed'),
      of('skipped'),
      of('cancelled'),
    ]
    const waiting = Math.max(0, entered - completed - failed - skipped - cancelled)
    return {
      key,
      entered,
      waiting,
      completed,
      failed,
      skipped,
      cancelled,
      sent: of('sent'),
      opened: of('opened'),
      clicked: of('clicked'),
    }
  })
  const connections = counted.connections.map((one) => ({ ...one, taken: countOf(one.from, `took_${one.type}`) }))
  return { object: 'automation_numbers', automation_id: id, steps, connections }
}
