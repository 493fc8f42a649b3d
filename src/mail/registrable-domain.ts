/**
 * Labels that registries put between a country and what they sell: `acme.co.uk`, `acme.com.br`. The list of all of them has ten thousand
 * lines and changes every week; what goes by this is advice, and wrong for few.
 */
const REGISTRY_LABEL = /^(?:ac|asn|co|com|edu|gob|gov|gouv|gv|id|idv|info|ltd|mil|ne|net|nic|nom|or|org|plc|sch)$/

/** What somebody has registered: `acme.co.uk` of `mail.acme.co.uk`. In lower case and ASCII. */
export function registrableDomain(name: string): string {
  const labels = name.replace(/\.$/, '').split('.')
  const [second = '', last = ''] = labels.slice(-2)
  const length = last.length === 2 && REGISTRY_LABEL.test(second) ? 3 : 2
  return labels.slice(-length).join('.')
}
