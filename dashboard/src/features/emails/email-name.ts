import type { Item } from '../../api.ts'

/** What an email of the list is called where only its name is said. */
export const emailName = ({ subject, to }: Item<'emails.list'>) => `${subject || '(no subject)'} to ${to[0]}`
