import { plural } from '../../ui/plural.ts'

/** Texts of the page of suppressions. */
export const texts = {
  page: {
    title: 'Suppressions',
    one: 'suppression',
    many: 'suppressions',
    about: 'Addresses that receive no email: hard bounces, spam complaints, and those you added.',
    add: 'Add suppression',
  },
  filters: {
    search: 'Search suppressions',
    anyOrigin: 'All origins',
    emailPlaceholder: 'Part of the address',
  },
  fields: {
    email: 'Email',
    origin: 'Origin',
    source: 'Source',
    created: 'Created',
  },
  viewEmail: 'View email',
  remove: {
    button: 'Remove',
    title: plural({ one: 'Remove # suppression?', other: 'Remove # suppressions?' }),
    note: 'The address can receive email again.',
    noteMany: 'The addresses can receive email again.',
    done: plural({ one: 'Suppression removed', other: '# suppressions removed' }),
  },
}
