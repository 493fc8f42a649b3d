import { useCall } from '../../queries.ts'
import type { FieldType } from './variables.ts'

/** The fields that the last event of an automation had: for events that have no schema. */
export function useSeenFields(automation: string): Readonly<Record<string, FieldType>> {
  const [last] = useCall('automationRuns.list', { automation_id: automation, limit: 1 }).data?.data ?? []
  const run = useCall('automationRuns.get', { id: last?.id ?? '' }, { enabled: last !== undefined })
  return fieldsIn(run.data?.event ?? {})
}

export const fieldsIn = (payload: Readonly<Record<string, unknown>>): Record<string, FieldType> =>
  Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]) => {
      const type = typeof value
      return type === 'string' || type === 'number' || type === 'boolean' ? [[name, type]] : []
    }),
  )
