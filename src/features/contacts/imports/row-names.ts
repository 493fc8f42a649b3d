import type { Queryable } from '../../../kernel/db/database.ts'
import { findSegmentsNamed } from '../../segments/index.ts'
import { findTopicsNamed } from '../../topics/index.ts'
import type { ContactRow, RowProblem } from './contact-row.ts'
import type { ImportPlan } from './schema.ts'

type ReadRow = { readonly contact: ContactRow } | { readonly problem: RowProblem }

/** The rows with the ids of the segments and topics that they name. One that names what is not there fails: it may be a typing error. */
export async function resolveNames<Row extends ReadRow>(
  db: Queryable,
  team: string,
  read: readonly Row[],
  { rowColumns = {} }: ImportPlan,
): Promise<Row[]> {
  const contacts = read.flatMap((one) => ('contact' in one ? [one.contact] : []))
  const segments = [...new Set(contacts.flatMap((contact) => contact.segments ?? []))]
  const topics = [...new Set(contacts.flatMap((contact) => contact.topics ?? []).map(({ topic }) => topic))]
  if (segments.length + topics.length === 0) return [...read]
  const segmentIds = segments.length > 0 ? await findSegmentsNamed(db, team, segments) : new Map<string, string>()
  const topicIds = topics.length > 0 ? await findTopicsNamed(db, team, topics) : new Map<string, string>()
  return read.map((one) => {
    if (!('contact' in one)) return one
    const { contact } = one
    const segment = contact.segments?.find((name) => !segmentIds.has(name))
    if (segment !== undefined) return refused(one, rowColumns.segments, `There is no segment ${segment}.`)
    const choice = contact.topics?.find(({ topic }) => !topicIds.has(topic))
    if (choice) return refused(one, rowColumns.topics, `There is no topic ${choice.topic}.`)
    const ids = {
      ...(contact.segments && { segments: contact.segments.map((name) => segmentIds.get(name)!) }),
      ...(contact.topics && { topics: contact.topics.map((one) => ({ ...one, topic: topicIds.get(one.topic)! })) }),
    }
    return { ...one, contact: { ...contact, ...ids } }
  })
}

function refused<Row extends ReadRow>(row: Row, column: number | undefined, reason: string): Row {
  const { contact: _contact, ...rest } = row as Row & { contact: ContactRow }
  return { ...rest, problem: { column: column ?? null, reason } } as unknown as Row
}
