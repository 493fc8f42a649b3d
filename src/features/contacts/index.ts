// What other features and gateways use of this one.
export {
  addAddresses,
  changeContactIn,
  contactNamed,
  findContactId,
  joinSegment,
  removeContacts,
  requireContact,
  setPreferences,
} from './actions.ts'
export { findContact, findValues } from './queries.ts'
