// The words around a one-time code, in thirteen languages: those of this product's tests, and what was cheap to add. Each list is one
// expression; a word that is written without spaces before it (コード, 验证码) or as the end of another (Anmeldecode) is found in there.
//
// They are for text in small letters, and name the letters that there are by ranges: to make ready for any letter in any case took V8
// 90 ms at the first message, in one piece, and 1 µs for each character after it.

/** The small letters of scripts that put spaces between words: Latin, Greek, Cyrillic. `L` in the lists below. */
const LETTERS = 'a-z\u00aa\u00b5\u00ba\u00df-\u00f6\u00f8-\u024f\u0370-\u03ff\u0430-\u045f'

/** In small letters, each at its place. One capital of Turkish would become two characters. */
export const lowered = (text: string) => text.replaceAll('İ', 'i').toLowerCase()

const hasNoSpaces = (list: string) => /[\u3040-\ud7af]/.test(list)
const withLetters = (list: string) => list.replace(/L(?=[+*])/g, `[${LETTERS}]`)

function words(...lists: string[]): RegExp {
  const spaced = lists
    .filter((list) => !hasNoSpaces(list))
    .join('|')
    .replaceAll(' ', '[\\s-]')
  const joined = lists.filter(hasNoSpaces).join('|')
  return new RegExp(`(?<![\\d${LETTERS}])(?:${withLetters(spaced)})(?![${LETTERS}])|${joined}`, 'g')
}

/** Nouns that mean a one-time code. */
export const CODE_NOUNS = words(
  'codes?|pass ?codes?|otp|[ms]?tan|pin|pin ?codes?|one time (?:pass(?:word|code)|pin|key)|(?:verification|authentication|security) (?:number|token|key)',
  'L*codes?|einmalL*(?: L+)? (?:pass|kenn)w(?:o|ö)rt|einmal(?:pass|kenn)wort|L*-codes?|prüfziffer|zahlenkombination',
  '(?:[4-8]|four|five|six|eight|vier|fünf|sechs|acht|quatre|cinq|huit|cuatro|quatro|cinco|seis|ocho|oito|quattro|cinque|sei|otto|vijf|zes|sześć|cztery) ?(?:digits?|ziffern|chiffres|dígitos|cifre|cijfers|cyfr)',
  'mot de passe (?:à usage unique|temporaire|unique)',
  'c[oó]digos?|clave(?: L+){0,2}|contraseña (?:temporal|de un solo uso|única)|senha (?:tempor[aá]ria|descart[aá]vel|de uso único|única)',
  'codic[ei]|password (?:temporanea|monouso|usa e getta)|eenmalig (?:wachtwoord|toegangswoord)',
  'kod(?:u|em|y|ów|zie)?|hasł[oa] jednorazowL+|jednorazowL+ hasł[oae]L*',
  'kod(?:u|unuz|unu|unuzu|lar)?|tek kullanımlık (?:şifre|parola)L*',
  'код(?:а|ом|е|ы|ов)?|одноразовL+ паролL+|пин(?:[\\s-]?кодL*)?',
  'コード|認証番号|確認番号|ワンタイムパスワード|パスコード|暗証番号|認証キー|セキュリティ番号|[4-8四五六八]\\s?桁の数字|[4-8四五六八]\\s?位数字',
  '[验驗][证證][码碼]|校[验驗][码碼]|[动動][态態](?:[码碼]|密[码碼]|口令)|一次性(?:密[码碼]|[验驗][证證][码碼]|代[码碼])|[确確][认認][码碼]|[认認][证證][码碼]|[激启][活用][码碼]|登[录錄入][码碼]|安全[码碼]|口令',
  '코드|인증\\s?번호|확인\\s?번호|일회용\\s?비밀번호|보안\\s?번호',
)

/** Nouns that have a code in their name, or near it, and mean something else. */
export const OTHER_CODES = words(
  '(?:exit|return|response|discount|promo(?:tion(?:al)?)?|coupon|voucher|gift(?: card)?|referral|postal|zip|post|area|country|dial(?:l)?ing|order|booking|reservation|tracking|product|item|article|error|status|source|qr|bar|dress|tax|swift|bic|sort|bank|customer|reference|style|colou?r|campaign|offer|savings?|reward|event|ticket|pick ?up)(?: |)codes?|code of L+|codebase|code reviewL*|code samples?',
  '(?:rabatt|gutschein|aktions|promo|promotion|vorteils|qr|strich|bar|fehler|quell|sendungs|buchungs|länder|farb|artikel|produkt|kunden|empfehlungs|bank|bestell|spar|geschenk)[\\s-]?codes?|gutscheine?',
  'codes? (?:promoL*|de réduction|postal|avantage|cadeau|barres|qr|article|client|de suivi|erreur|couleur|de parrainage|source|de conduite|remise|de retrait)',
  'c[oó]digos? (?:promocional(?:es)?|de descuento|de desconto|postal|de barras|qr|d[eo] pedido|de seguimiento|de rastreL+|de erro?r?|d[eo] cliente|d[eo] producto|d[eo] produto|de referido|fuente|fonte|de reserva|de artículo|de indicaL+|de recogida)|cup[oó]n|cupom',
  'codic[ei] (?:sconto|promozionale|promo|postale|a barre|qr|fiscale|cliente|articolo|ordine|prodotto|di tracciamento|tracking|errore|(?:di )?prenotazione|univoco|di ritiro)',
  '(?:kortings|actie|post|streepjes|bar|qr|fout|bron|track(?: ?&? ?trace)?|klant|artikel|boekings|cadeau|voucher|promo|spaar|afhaal)[\\s-]?codes?',
  'kodL* (?:rabatowL+|promocyjnL+|pocztowL+|kreskowL+|qr|błędu|produktu|śledzenia|klienta|rezerwacji|polecającL+|zniżkowL+|odbioru)',
  '(?:indirim|promosyon|kupon|posta|takip|ürün|hata) kodL*|karekod|barkod',
  'промокодL*|штрих ?кодL*|qr ?кодL*|код (?:товара|отслеживания|заказа)|почтовый индекс',
  '(?:クーポン|割引|プロモーション|プロモ|紹介|商品|バー|qr|エラー|ソース|優待|予約|ギフト|キャンペーン|会員|店舗|商品券)コード|郵便番号',
  '优惠[码券]|優惠[碼券]|折扣[码碼]|[兑兌][换換][码碼]|邮政编码|[邮郵][编編]|二[维維][码碼]|[条條]形?[码碼]|源代[码碼]|[错錯][误誤]代[码碼]|推[荐薦][码碼]|取件[码碼]|提[货貨][码碼]|促销[码碼]',
  '(?:쿠폰|할인|프로모션|추천|우편|바|상품)\\s?코드|우편번호',
)

/** What people are asked to do with a code. They say so in other mail, too. */
export const SIGN_IN_WORDS = words(
  'verif(?:y|ies|ying|ication)|confirm(?:ing)?|sign(?:ing)? ?(?:in|up|on)|log(?:ging)? ?(?:in|on)|authenticatL+|two (?:factor|step)|2fa|mfa|activatL+|identity|resetL*|unlock|registL+',
  'bestätigL*|anmeldL*|verifizierL*|einloggL*|zwei faktorL*|freischaltL*|identität|zurücksetzL*',
  'vérifiL*|confirmer|connexion|connecter|identitL+|authentifiL*|réinitialisL*',
  'verificL*|confirmar?|iniciar sesión|inicio de sesión|autenticL*|acceder|entrar|fazer login|redefinir|identidade?',
  'verificL*|confermare?|accedL+|identità|reimpostL*',
  'verifiL*|bevestigL*|in(?:te )?logL*|aanmeldL*|identiteit|tweestapsL*',
  'weryfikL*|potwierdL*|zalogL*|logowaniL*|tożsamośL*',
  'doğrulaL*|giriş|oturumL*|подтверL*|входL?|войти|проверL*',
  '認証|ログイン|サインイン|本人確認',
  '[验驗][证證]|登[录錄入]|身份|[确確][认認]',
  '인증|로그인|본인',
)

/** What people are told to do with a code, right beside it. */
export const ENTER_WORDS = words(
  'use|enter|type|input|gib|geben|verwenden?|nutzen?|eingeben|saisiL*|entrez|utilisez|introduL*|ingresL*|us[ae]|utilizL*|digitL*|insirL*|inform[ea]|inseriL*|utilizzL*|gebruik|voer|vul|wpisz|użyj|podaj|wprowadź|girinL*|kullanL*|введиL*|используйL*',
  '入力|[输輸]入|[键鍵]入|填[写入]|입력',
)

/** Mail about buying: a number in there is one of an order, and a code makes something cheaper. */
export const SHOP_WORDS = words(
  'off|discounts?|coupons?|vouchers?|promoL*|checkout|sale|savings?|gift|deal|free shipping|rabattL*|gutscheinL*|warenkorb|sparen|versandkosten|remise|réduction|soldes|panier|descuentoL*|rebajas|carrito|descontoL*|carrinho|sconto|saldi|carrello|kortingL*|winkel(?:wagen|mand)|rabatL*|zniżkL*|koszykL*|promocjL*|indirimL*|скидкL*|промокодL*',
  'orders?|invoices?|shipments?|bestellung|rechnung|lieferung|commande|facture|livraison|pedido|factura|fatura|entrega|ordine|fattura|spedizione|bestelling|factuur|zamówieniL*|fakturL*|siparişL*|заказL*',
  '注文|請求|[订訂][单單]|[账帳][单單]|[发發]票|주문|割引|セール|クーポン|優惠|优惠|折扣|促销|满减|할인|쿠폰',
)

/** A number right behind these is the number of something: an order, a customer, a telephone. */
const NUMBER_OF = new RegExp(
  `(?:${withLetters(
    'client[ei]?|klientL*|klantL*|order|invoice|ticket|case|ref(?:erence)?|tracking|shipment|parcel|booking|reservation|customer|member(?:ship)?|policy|contract|transaction|receipt|box|vat|tax|phone|tel|call|fax|hotline|model|serial|sku|item|article|version|build|room|flight|iban|end(?:s|ing) (?:in|with)|registration|number|no|nr|id|num|nummer|bestellung|rechnung|auftrag|kunde|sendung|telefon|anruf|kontakt|endet auf|endend auf|eindig(?:end|t) op|terminL+ (?:par|en|con|em|com)|finissant par|final|kończącL+ się na|sonu|numéro|n°|nº|commande|facture|téléphone|tél|pedido|factura|fatura|telefone|teléfono|llame|ligue|ligar|número|núm|ordine|fattura|telefono|numero|chiama|bestelling|factuur|bel|telefoon|zamówieniL*|fakturL*|numer|paczkL*|sipariş|numarası|заказL*|счетL*|номер|телефон|番号|下\\s?4桁|末尾|尾[号號]|ナンバー|電話|号码|號碼|编号|編號|[单單訂订][号號单單]|电话|電話|번호|전화|センター|센터|客服|commit|revision',
  )})$`,
)
const LETTER = new RegExp(`[${LETTERS}]`)
const SINGLE = new RegExp(`[^\\d${LETTERS}][${LETTERS}]$`)

/** Whether the words right before a number, in small letters, say that it is the number of something. A word may be between them: „Order no. is“. */
export function isNumbered(before: string): boolean {
  const close = before.slice(-48).replace(/[\s:：.#=<>()[\]"'“”„«»\t|-]+$/, '')
  const bare = close
    .replace(/(?:^|[\s.:])(?:is|ist|lautet|est|es|é|è|to|jest|は|是|为|為|are)$/, '')
    .replace(/[\s:.]+$/, '')
  return isWhole(bare) && !endsWithCode(bare)
}

const isWhole = (text: string) => {
  const found = NUMBER_OF.exec(text)
  return found !== null && !SINGLE.test(text) && isStart(text, found.index, found[0])
}

/** German and Dutch put the noun in front of the number: „Bestellnummer“, „Kundennr“. Elsewhere a word is a word of its own. */
const isStart = (text: string, at: number, word: string) =>
  /^(?:nummer|nr|telefon|番号|번호|号码|號碼|编号|編號)$/.test(word) ||
  !LETTER.test(text[at - 1] ?? '') ||
  hasNoSpaces(word)

function endsWithCode(text: string): boolean {
  for (const { 0: word, index } of text.matchAll(CODE_NOUNS)) if (index + word.length === text.length) return true
  return false
}
