import { type HttpOutcome, OutgoingHttp } from './outgoing-http.ts'

/** For an installation that asks nobody anything. */
export class OfflineHttp extends OutgoingHttp {
  constructor() {
    super({ allowPrivateAddresses: false })
  }

  override async send(): Promise<HttpOutcome> {
    return { kind: 'refused', reason: 'this installation sends nothing' }
  }
}
