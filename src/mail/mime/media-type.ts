const TYPE = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)((?:\s*;\s*[\w!#$&^.+*'-]+=(?:[\w!#$&^.+/:'*-]+|"[ !#-[\]-~]*"))*)[\s;]*$/
const PARAMETER = /;\s*([^=]+)=("[^"]*"|[^\s;]+)/g
const UNKNOWN: MediaType = { type: 'application/octet-stream', parameters: [] }

export interface MediaType {
  readonly type: string
  /** As they are written: `charset=utf-8`. */
  readonly parameters: readonly string[]
}

/** What a caller says about a file; nothing that could not stand in a header, and not the parameters that we write. */
export function readMediaType(contentType: string): MediaType {
  const [, type, rest] = (contentType.length <= 255 && TYPE.exec(contentType.trim())) || []
  // A file that claims to be several parts would have to bring its own boundary, unencoded.
  if (type === undefined || /^multipart\//i.test(type)) return UNKNOWN
  const parameters = [...(rest ?? '').matchAll(PARAMETER)].filter(([, name]) => !/^(name|boundary)\b/i.test(name!))
  return { type, parameters: parameters.map(([, name, value]) => `${name}=${value}`) }
}
