import { ApiProblem, sendJson } from './api.ts'

// The part of the library that talks to the browser is fetched when somebody uses a passkey.
const library = () => import('@simplewebauthn/browser')

interface Options<Json> {
  readonly options: Json
}
type RequestOptions = Options<Parameters<Awaited<ReturnType<typeof library>>['startAuthentication']>[0]['optionsJSON']>
type CreationOptions = Options<Parameters<Awaited<ReturnType<typeof library>>['startRegistration']>[0]['optionsJSON']>

/** Whether this page may use those of `origin`: a browser keeps passkeys for the one address that they were made at. */
export const canUsePasskeys = (origin: string | null) =>
  origin === location.origin && typeof PublicKeyCredential === 'function'

/** Signs in, or proves afresh who is signed in: `address` asks for a challenge below it and takes the answer. */
export async function answerWithPasskey(address: '/dashboard/sign-in/passkey' | '/dashboard/verify/passkey') {
  const { options } = await sendJson<RequestOptions>('POST', `${address}/options`, {})
  const { startAuthentication } = await library()
  const response = await startAuthentication({ optionsJSON: options }).catch(explain)
  await sendJson('POST', address, { response })
}

/** Makes a passkey in this browser. What it answers is for the server to judge. */
export async function makePasskey({ options }: { options: unknown }) {
  const { startRegistration } = await library()
  const { id, rawId, type, response } = await startRegistration({
    optionsJSON: options as CreationOptions['options'],
  }).catch(explain)
  const { clientDataJSON, attestationObject, transports } = response
  return { id, rawId, type, response: { clientDataJSON, attestationObject, ...(transports && { transports }) } }
}

/** Browsers say in many words, and in words of their own, that somebody has pressed Escape. */
function explain(error: unknown): never {
  const { name } = error as Error
  if (name === 'InvalidStateError') throw new ApiProblem(0, name, 'This device already has a passkey for your account.')
  if (name === 'NotAllowedError' || name === 'AbortError')
    throw new ApiProblem(0, name, 'No passkey was used. Try again, or use another option.')
  throw error
}
