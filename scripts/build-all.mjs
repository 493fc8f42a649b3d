// `npm run build`, and before `npm pack`: what is packed is what these sources make.
import { prepare } from './prepare.mjs'

await prepare()
