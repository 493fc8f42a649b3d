import { MAX_VALUE_LENGTH } from '../../../features/contact-properties/schema.ts'
import { type ImportedContact, importContacts, importMembers } from '../../../features/contacts/imported.ts'
import { MAX_NAME_LENGTH } from '../../../features/contacts/schema.ts'
import { isAddress } from '../../../mail/address.ts'
import { momentOf, type Named, type SourceChoice, type SourceContact, short } from './account.ts'
import { type Import, idHere } from './run.ts'
import { type Page, SourceRefusal } from './source.ts'

const CONTACTS = '/contacts'
const INCLUDE = { include: 'properties,segments,topics' }
/** Contacts that are asked for one by one, at once. */
const AT_ONCE = 5

/**
 * A source of our own tells all of a contact in its list: a read for each hundred. Others tell properties and topics one contact at a time, which
 * is only done where the account has any, and who is in a segment in a list for each segment.
 */
export async function readContacts(running: Import) {
  const { state } = running
  const { cursor, lists } = state.progress
  if (!lists.includes(CONTACTS)) {
    const isIncluded = await readList(running, cursor?.list === CONTACTS ? cursor.after : null)
    lists.push(CONTACTS, ...(isIncluded ? [WITH_SEGMENTS] : []))
    state.progress.cursor = { kind: 'contacts', list: '', after: null }
    state.save()
  }
  if (!lists.includes(WITH_SEGMENTS)) await readMembers(running)
}

const WITH_SEGMENTS = '/contacts with segments'

/** Whether the list told the segments of each contact. */
async function readList(running: Import, after: string | null): Promise<boolean> {
  const { state, report } = running
  let isIncluded = true
  for await (const { items, next } of pages(running, after)) {
    isIncluded &&= items.every(({ segments }) => segments !== undefined)
    await writePage(running, await withDetails(running, items))
    state.progress.cursor = { kind: 'contacts', list: CONTACTS, after: next }
    if (next !== null) state.save()
    running.onProgress('contacts', report.of('contacts').read)
  }
  return isIncluded
}

/** A source that does not know the parameter may refuse it. */
async function* pages({ source }: Import, after: string | null): AsyncGenerator<Page<SourceContact>> {
  let isBegun = false
  try {
    for await (const page of source.pages<SourceContact>(CONTACTS, { after, query: INCLUDE })) {
      isBegun = true
      yield page
    }
  } catch (error) {
    if (isBegun || !(error instanceof SourceRefusal)) throw error
    yield* source.pages<SourceContact>(CONTACTS, { after })
  }
}

async function withDetails(running: Import, items: readonly SourceContact[]): Promise<SourceContact[]> {
  const { source, report, state } = running
  const has = (kind: string) => Object.keys(state.progress.ids).some((key) => key.startsWith(`${kind}/`))
  const [hasProperties, hasTopics] = [has('properties'), has('topics')]
  const complete = async (item: SourceContact): Promise<SourceContact | null> => {
    const isComplete = (item.properties || !hasProperties) && (item.topics || !hasTopics)
    if (isComplete) return item
    const whole = item.properties || !hasProperties ? item : await source.get<SourceContact>(`${CONTACTS}/${item.id}`)
    if (!whole) return null
    const topics = item.topics ?? (hasTopics ? await topicsOf(running, item.id) : undefined)
    return { ...item, ...(whole.properties && { properties: whole.properties }), ...(topics && { topics }) }
  }
  const found: SourceContact[] = []
  for (let begin = 0; begin < items.length; begin += AT_ONCE) {
    const some = items.slice(begin, begin + AT_ONCE)
    for (const [index, one] of (await Promise.all(some.map(complete))).entries()) {
      if (one) found.push(one)
      else report.skip('contacts', some[index]!.email ?? some[index]!.id, 'Deleted meanwhile')
    }
  }
  return found
}

async function topicsOf({ source }: Import, contact: string): Promise<SourceChoice[]> {
  const choices: SourceChoice[] = []
  for await (const { items } of source.pages<SourceChoice>(`${CONTACTS}/${contact}/topics`)) choices.push(...items)
  return choices
}

async function writePage(running: Import, items: readonly SourceContact[]) {
  const { target, report, isNewId } = running
  const contacts = items.flatMap((item) => contactOf(running, item))
  if (contacts.length === 0) return
  const outcomes = await target.write((trx) => importContacts(trx, target.team, contacts, { isNewId }))
  for (const [index, outcome] of outcomes.entries())
    if (outcome === 'over_limit')
      report.skip('contacts', contacts[index]!.email, 'The contact limit of the team is reached')
    else report.count('contacts', outcome)
}

function contactOf(running: Import, item: SourceContact): ImportedContact[] {
  const { email = '', properties, segments, topics } = item
  if (!isAddress(email)) {
    running.report.skip('contacts', email || item.id, 'Not an email address')
    return []
  }
  const contact = {
    ...{ id: item.id, created_at: momentOf(item.created_at, running.now), email },
    first_name: short(item.first_name, MAX_NAME_LENGTH),
    last_name: short(item.last_name, MAX_NAME_LENGTH),
    unsubscribed: item.unsubscribed === true,
  }
  return [
    {
      ...contact,
      ...(properties && { properties: valuesHere(running, email, properties) }),
      ...(segments && { segments: segments.flatMap(({ id }) => idHere(running, 'segments', id) ?? []) }),
      ...(topics && { topics: topics.flatMap((choice) => choiceHere(running, choice)) }),
    },
  ]
}

function choiceHere(running: Import, { id, subscription }: SourceChoice) {
  const here = idHere(running, 'topics', id)
  if (!here || (subscription !== 'opt_in' && subscription !== 'opt_out')) return []
  return [{ id: here, subscription } as const]
}

/** Under the ids that properties have here. */
function valuesHere(running: Import, email: string, properties: Readonly<Record<string, unknown>>) {
  const { report, state } = running
  const values: Record<string, string | number> = {}
  for (const [key, told] of Object.entries(properties)) {
    const value = typeof told === 'object' && told !== null && 'value' in told ? told.value : told
    const id = idHere(running, 'properties', key)
    if (!id || value === null || value === undefined) continue
    const fitting = valueAs(state.progress.ids[`property-types/${key}`], value)
    if (fitting !== undefined) values[id] = fitting
    else report.note('contacts', email, `The value of the property ${key} does not fit its type here`)
  }
  return values
}

function valueAs(type: string | undefined, value: unknown): string | number | undefined {
  if (type === 'number') {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined
  }
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length <= MAX_VALUE_LENGTH ? text : undefined
}

/** Who is in which segment, by a list for each. */
async function readMembers(running: Import) {
  const { source, target, state, report } = running
  for await (const { items: segments } of source.pages<Named>('/segments'))
    for (const { id } of segments) {
      const here = idHere(running, 'segments', id)
      const list = `/segments/${id}/contacts`
      const { cursor, lists } = state.progress
      if (!here || lists.includes(list)) continue
      const after = cursor?.list === list ? cursor.after : null
      for await (const { items, next } of source.pages<SourceContact>(list, { after })) {
        const emails = items.flatMap(({ email }) => email ?? [])
        await target.write((trx) => importMembers(trx, target.team, here, emails))
        state.progress.cursor = { kind: 'contacts', list, after: next }
        if (next !== null) state.save()
        running.onProgress('contacts', report.of('contacts').read)
      }
      lists.push(list)
      state.save()
    }
}
