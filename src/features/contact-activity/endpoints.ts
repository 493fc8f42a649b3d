import { FoundItems } from '../../kernel/http/list.ts'
import { found } from '../../kernel/http/problem.ts'
import { readCriteria } from '../../kernel/search/criteria.ts'
import { findPage } from '../../kernel/search/list.ts'
import { contactNamed, findContact } from '../contacts/index.ts'
import { ContactParams } from '../contacts/schema.ts'
import { list } from '../definitions.ts'
import { receivedSearch } from '../inbound/index.ts'
import { findActivity } from './queries.ts'
import { ContactActivity } from './schema.ts'

export const contactActivityEndpoints = [
  list({
    id: 'contacts.activity.list',
    route: 'GET /contacts/:idOrEmail/activity',
    summary: 'List what happened to a contact',
    description: 'Emails to and from the contact, its automation runs and its suppression, newest first.',
    params: ContactParams,
    item: ContactActivity,
    unlimited: 20,
    async rows({ params, window, services: { db }, actor: { team } }) {
      const { id, email } = found(await findContact(db, team, contactNamed(params.idOrEmail)), 'Contact')
      const criteria = readCriteria({ team, kind: 'received' }, receivedSearch.rules, { q: `from:"${email}"` })!
      const receivedIds = await findPage(db, team, { ...receivedSearch, criteria, window })
      return new FoundItems(await db.searching((trx) => findActivity(trx, { team, id, email, receivedIds }, window)))
    },
  }),
]
