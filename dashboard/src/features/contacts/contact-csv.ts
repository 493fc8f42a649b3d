import type { Item } from '../../api.ts'
import type { CsvColumn } from '../../ui/export-rows.ts'

type Contact = Item<'contacts.list'>
type Named = { readonly id: string; readonly name: string }

/** All that an import of the file needs to write the same contacts again. */
export const CSV_INCLUDE = 'properties,segments,topics'

const CONTACT: readonly CsvColumn<Contact>[] = [
  ['id', ({ id }) => id],
  ['email', ({ email }) => email],
  ['first_name', ({ first_name }) => first_name],
  ['last_name', ({ last_name }) => last_name],
  ['unsubscribed', ({ unsubscribed }) => unsubscribed],
  ['created_at', ({ created_at }) => created_at],
  ['segments', ({ segments = [] }) => segments.map(nameOf).join('; ')],
  ['topics', ({ topics = [] }) => topics.map((topic) => `${nameOf(topic)}=${topic.subscription}`).join('; ')],
]

/** An import splits at semicolons, and takes ids as well. */
const nameOf = ({ id, name }: Named) => (name.includes(';') || name !== name.trim() ? id : name)

/** The columns of an export: those of every contact, and one for each property. */
export const contactColumns = (keys: readonly string[]): readonly CsvColumn<Contact>[] => [
  ...CONTACT,
  ...keys.map((key): CsvColumn<Contact> => {
    const isTaken = CONTACT.some(([name]) => name === key)
    return [isTaken ? `property_${key}` : key, ({ properties }) => properties?.[key]?.value]
  }),
]
