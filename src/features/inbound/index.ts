// What other features and gateways use of this one.
export { bodiesOf, embedImages, findReceived, findShown, isReceived, presentShown, readWhatArrived } from './actions.ts'
export { isMailUnread } from './intake/queries.ts'
export { receivedSearch } from './search.ts'
