// What other features and gateways use of this one.
export { checkHtml, checkLinks, scoreSpam } from './actions.ts'
