import { CODE_NOUNS, hasNoSpaces, LETTERS, ORDER_WORDS, OTHER_CODES, withLetters } from './code-words.ts'

/** A number right behind these is the number of something: an order, a customer, a telephone. */
const NUMBER_OF = new RegExp(
  `(?:${withLetters(
    'client[ei]?|klientL*|klantL*|order|invoice|ticket|case|ref(?:erence)?|tracking|shipment|parcel|booking|reservation|customer|member(?:ship)?|policy|contract|transaction|receipt|box|vat|tax|phone|tel|call|fax|hotline|model|serial|sku|item|article|version|build|room|flight|iban|end(?:s|ing) (?:in|with)|registration|number|no|nr|id|num|nummer|bestellung|rechnung|auftrag|kunde|sendung|telefon|anruf|kontakt|endet auf|endend auf|eindig(?:end|t) op|terminL+ (?:par|en|con|em|com)|finissant par|final|kończącL+ się na|sonu|numéro|n°|nº|commande|facture|téléphone|tél|pedido|factura|fatura|telefone|teléfono|llame|ligue|ligar|número|núm|ordine|fattura|telefono|numero|chiama|bestelling|factuur|bel|telefoon|zamówieniL*|fakturL*|numer|paczkL*|sipariş|numarası|заказL*|счетL*|номер|телефон|番号|下\\s?4桁|末尾|尾[号號]|ナンバー|電話|号码|號碼|编号|編號|[单單訂订][号號单單]|电话|電話|번호|전화|センター|센터|客服|commit|revision|port|error|status|suite|apt|unit|locker|gate|seat|lot|batch|ext(?:ension)?|employee|student|patient|claim|incident|job|issue|page|section|puk|visa|mastercard|amex|card|karte|carte|tarjeta|cartão|carta|kaart|kart[ayęi]|карт[аыеу]|ordrenummer|referensL*|kundnummer|telefonnummer|slutar på|slutter på|(?:päättyL+)|tilausnumero|číslL+|končícL+ (?:na)?|telefonszámL*|rendelésszámL*|végződőL*|număr(?:ul)?|номеромL?|замовлення|αριθμ(?:ός|ού|ό)|τηλ|(?:ال)?رقمL*|هاتف|מספרL*|טלפון|नंबर|संख्या|क्रमांक|फोन|(?:đơn hàng|hotline|sđt|điện thoại|số)|nomor|telepon|pesanan|berakhiran|หมายเลข|เลขที่|โทร',
  )})$`,
)
const LETTER = new RegExp(`[${LETTERS}]`)
const SINGLE = new RegExp(`[^\\d${LETTERS}][${LETTERS}]$`)

const COPULA = /(?:^|[\s.:])(?:is|ist|lautet|est|es|é|è|to|jest|は|是|为|為|are|är|er|je|este|on|adalah|là)$/
/** What ends the words that are about the number: a sentence, a cell, another number. */
const SENTENCE_END = /.*(?:[.!?;。！？](?=\s|$)|[\t|。！？]|\d{4})/s

/**
 * Whether the words right before a number, in small letters, say that it is the number of something. A word may be between them: „Order no.
 * is“. In “your code to confirm your order is” the number is not that of the order: what follows “is” is what the sentence is about.
 */
export function isNumbered(before: string): boolean {
  const close = before.slice(-48).replace(/[\s:：.#=<>()[\]"'“”„«»\t|-]+$/, '')
  const bare = close.replace(COPULA, '').replace(/[\s:.]+$/, '')
  if (!(isWhole(bare) || endsWith(bare, ORDER_WORDS)) || endsWith(bare, CODE_NOUNS)) return false
  const isSaid = bare !== close || /[:：]\s*$/.test(before)
  return !isSaid || !speaksOfCode(before.slice(-160).replace(SENTENCE_END, ''))
}

const speaksOfCode = (text: string) => text.replace(OTHER_CODES, ' ').search(CODE_NOUNS) >= 0

const isWhole = (text: string) => {
  const found = NUMBER_OF.exec(text)
  return found !== null && !SINGLE.test(text) && isStart(text, found.index, found[0])
}

/** German and Dutch put the noun in front of the number: „Bestellnummer“, „Kundennr“. Elsewhere a word is a word of its own. */
const isStart = (text: string, at: number, word: string) =>
  /^(?:nummer|nr|telefon|番号|번호|号码|號碼|编号|編號)$/.test(word) ||
  !LETTER.test(text[at - 1] ?? '') ||
  hasNoSpaces(word)

function endsWith(text: string, nouns: RegExp): boolean {
  for (const { 0: word, index } of text.matchAll(nouns)) if (index + word.length === text.length) return true
  return false
}
