/**
 * The meaning of every `error.code` and how to act on it, for integrators, and the sentence in Swahili that a person reads. The
 * reference and the documentation show the same list. A test compares it with the source.
 */
import { closedStates, type ClosedCode } from '../../domain/page.ts'

/** `message` is sent as `message_sw`. Without a status: 400. */
export type Meaning = readonly [en: string, sw: string, message: string, status?: number]

const closedCodes = Object.fromEntries(
  Object.values(closedStates).map(({ code, meaning, message }): [string, Meaning] => [code, [...meaning, message[1], 409]]),
) as Record<ClosedCode, Meaning>

export const errorCodes = {
  validation_error: [
    'A field is missing, malformed or unknown. `errors` lists each field with `required`, `invalid` or `unknown_field`; a weak password with `password_common`, `password_personal` or `password_guessable`.',
    'Kuna sehemu isiyojazwa, isiyo sahihi au isiyojulikana. `errors` inataja kila sehemu kwa `required`, `invalid` au `unknown_field`; nenosiri dhaifu kwa `password_common`, `password_personal` au `password_guessable`.',
    'Baadhi ya taarifa si sahihi. Zirekebishe kisha ujaribu tena.',
  ],
  invalid_json: [
    'The body is not JSON, has the same key twice in one object, has more than 10,000 values or 32 levels, or contains text that cannot be stored.',
    'Mwili wa ombi si JSON, una jina moja mara mbili kwenye kitu kimoja, una thamani zaidi ya 10,000 au ngazi zaidi ya 32, au una maandishi yasiyoweza kuhifadhiwa.',
    'Taarifa zilizotumwa hazisomeki. Jaribu tena.',
  ],
  payload_too_large: [
    'The body is larger than 256 KiB, or than 64 KiB without a key or sign-in of a verified account.',
    'Mwili wa ombi unazidi KiB 256, au KiB 64 bila ufunguo au uingiaji wa akaunti iliyothibitishwa.',
    'Taarifa zilizotumwa ni nyingi mno. Punguza kisha ujaribu tena.',
  ],
  unsupported_media_type: [
    'Send the body as `application/json`, without `Content-Encoding`: compressed bodies are not read.',
    'Tuma mwili wa ombi kama `application/json`, bila `Content-Encoding`: mwili uliobanwa hausomwi.',
    'Taarifa zimetumwa kwa muundo usio sahihi.',
  ],
  method_not_allowed: [
    'The path does not support this method. The header `Allow` lists the supported ones.',
    'Anwani hii haikubali njia hii ya HTTP. Kichwa `Allow` kinataja zinazokubaliwa.',
    'Kitendo hiki hakiwezekani kwenye anwani hii.',
  ],
  malformed_request: ['The request is not valid HTTP.', 'Ombi si HTTP sahihi.', 'Ombi halisomeki. Jaribu tena.'],
  authentication_required: [
    'Send an access token (`Authorization: Bearer`) or an API key (`X-API-Key`).',
    'Tuma tokeni ya kuingia (`Authorization: Bearer`) au ufunguo wa API (`X-API-Key`).',
    'Ingia kwenye akaunti yako kwanza.',
    401,
  ],
  ambiguous_credentials: [
    'The request has more than one credential. Send one access token or one API key.',
    'Ombi lina utambulisho zaidi ya mmoja. Tuma tokeni moja ya kuingia au ufunguo mmoja wa API.',
    'Ombi lina vitambulisho zaidi ya kimoja. Tumia kimoja tu.',
  ],
  wrong_cell: [
    'The request was sent directly to a cell of the service that does not have this account or object. Send it to the public address of the API. Nothing was changed.',
    'Ombi limetumwa moja kwa moja kwenye sehemu ya huduma isiyo na akaunti au kitu hiki. Litume kwenye anwani ya umma ya API. Hakuna kilichobadilishwa.',
    'Ombi limefika mahali pasipo sahihi. Jaribu tena kupitia anwani ya kawaida ya huduma.',
  ],
  header_duplicated: [
    'A header that must be single came twice; `details.header` names it. Send it once.',
    'Kichwa ambacho lazima kiwe kimoja kimekuja mara mbili; `details.header` inakitaja. Kitume mara moja.',
    'Ombi lina kichwa kimoja mara mbili. Kitume mara moja tu.',
  ],
  invalid_token: [
    'The access token is invalid or expired. Refresh it.',
    'Tokeni ya kuingia si sahihi au muda wake umeisha. Ihuishe.',
    'Muda wako wa kuingia umekwisha. Ingia tena.',
    401,
  ],
  invalid_credentials: [
    'The identifier or the password is wrong.',
    'Barua pepe, namba ya simu au nenosiri si sahihi.',
    'Barua pepe, namba ya simu au nenosiri si sahihi.',
    401,
  ],
  invalid_code: [
    "The code of the second factor is wrong, expired or already used. The phone's clock must be set automatically.",
    'Msimbo wa hatua ya pili si sahihi, umepitwa na wakati, au umeshatumika. Saa ya simu lazima ijiweke yenyewe.',
    'Msimbo si sahihi, umepitwa na wakati, au umeshatumika. Weka msimbo mpya, na hakikisha saa ya simu inajiweka yenyewe (automatic): misimbo ya programu inaifuata.',
    401,
  ],
  invalid_challenge: [
    'The pending two-factor sign-in has expired or is already completed. Sign in again.',
    'Kuingia kwa hatua mbili kumechukua muda mrefu mno, au kumeshakamilika. Ingia upya.',
    'Kuingia kumechukua muda mrefu mno. Anza upya.',
    401,
  ],
  step_up_required: [
    'Confirm your identity with `POST /v1/auth/step-up`, then repeat the request.',
    'Thibitisha kuwa ni wewe kwa `POST /v1/auth/step-up`, kisha rudia ombi.',
    'Thibitisha tena kuwa ni wewe ili kufanya hili.',
    401,
  ],
  sign_in_required: [
    'Only a signed-in person can do this. API keys cannot: the message says where a person can.',
    'Mtu aliyeingia tu ndiye anayeweza kufanya hili. Funguo za API haziwezi: ujumbe unasema mtu anaweza kulifanyia wapi.',
    'Ingia kwenye dashibodi ili kufanya hili.',
    403,
  ],
  token_invalid: [
    'The code from the mail is wrong, expired or already used. Request a new one.',
    'Msimbo wa barua pepe si sahihi, umepitwa na wakati, au umeshatumika. Omba mpya.',
    'Msimbo si sahihi, umepitwa na wakati, au umeshatumika. Omba mpya.',
  ],
  rate_limited: [
    'Too many requests or attempts. Wait for `Retry-After` seconds.',
    'Maombi au majaribio ni mengi mno. Subiri sekunde za `Retry-After`.',
    'Umejaribu mara nyingi mno. Subiri kidogo kisha ujaribu tena.',
    429,
  ],
  session_inactive: [
    'The session has ended. Sign in again.',
    'Umeshatolewa. Ingia tena.',
    'Umeshatoka kwenye akaunti. Ingia tena.',
    401,
  ],
  invalid_api_key: [
    'The API key is malformed or unknown.',
    'Ufunguo wa API si sahihi au haujulikani.',
    'Ufunguo wa API si sahihi. Angalia kama umenakiliwa wote.',
  ],
  api_key_revoked: [
    'The key was revoked, or its app was deleted.',
    'Ufunguo umefutwa, au programu yake imefutwa.',
    'Ufunguo huu wa API umefutwa. Tumia mwingine.',
  ],
  api_key_expired: [
    'The key is past its `expires_at`.',
    'Ufunguo umepita `expires_at` yake.',
    'Muda wa ufunguo huu wa API umekwisha. Tengeneza mwingine.',
  ],
  ip_not_allowed: [
    'The key may not be used from this IP address. See its `allowed_ips`.',
    'Ufunguo hauruhusiwi kutumika kutoka anwani hii ya IP. Angalia `allowed_ips` yake.',
    'Ufunguo huu hauruhusiwi kutumika kutoka anwani hii ya IP.',
  ],
  origin_not_allowed: [
    'Only pages of this service may use a session cookie.',
    'Kurasa za huduma hii pekee ndizo zinazoweza kutumia kuki ya kuingia.',
    'Kitendo hiki kinaruhusiwa kwenye kurasa za huduma hii tu.',
    403,
  ],
  admin_required: [
    'Only operators of the service may use this endpoint.',
    'Anwani hii ni ya wasimamizi wa huduma tu.',
    'Hapa ni kwa wasimamizi wa huduma.',
    403,
  ],
  two_factor_required: [
    'The session has no second factor. Sign in with it.',
    'Umeingia bila hatua ya pili. Ingia kwa hatua ya pili.',
    'Ingia tena kwa msimbo wa programu yako ya uthibitisho.',
    403,
  ],
  already_member: [
    'The person is a member of this business already. `details.id` names the membership.',
    'Mtu huyu tayari ni mwanachama wa biashara hii. `details.id` inataja uanachama wake.',
    'Mtu huyu ameshakuwa mwanachama. Badilisha jukumu lake kwenye orodha.',
    409,
  ],
  too_many_members: [
    'The business has the maximum number of members or open invitations.',
    'Biashara imefikia idadi ya juu ya wanachama au ya mialiko iliyo wazi.',
    'Biashara imefikia kikomo cha wanachama au mialiko. Ondoa au ghairi baadhi kwanza.',
    409,
  ],
  invitation_for_another_address: [
    'The invitation was mailed to another address. Sign in with the account of that address.',
    'Mwaliko ulitumwa kwa barua pepe nyingine. Ingia kwa akaunti ya barua pepe hiyo.',
    'Mwaliko huu ni wa barua pepe nyingine. Ingia kwa akaunti ya barua pepe hiyo.',
    403,
  ],
  power_not_active_yet: [
    'The role of the person is new, and this waits until `details.until` in the live environment. A member with one of `details.required_roles` can do it now, or another owner confirms the role: `POST /v1/businesses/{business_id}/members/{member_id}/confirm`.',
    'Jukumu la mtu ni jipya, na hili linasubiri hadi `details.until` kwenye mazingira halisi. Mwanachama mwenye mojawapo ya `details.required_roles` anaweza kulifanya sasa, au mmiliki mwingine athibitishe jukumu: `POST /v1/businesses/{business_id}/members/{member_id}/confirm`.',
    'Jukumu lako ni jipya, kwa hiyo hili litawezekana baadaye. Mwambie mwanachama mwingine alifanye, au mmiliki mwingine athibitishe jukumu lako kwenye Timu.',
    409,
  ],
  approvers_missing: [
    'Too few members could approve: a requester never approves their own request. `details.needed` people must be able to, `details.available` would be.',
    'Wanachama wanaoweza kuidhinisha hawatoshi: anayeomba haidhinishi kamwe. Wanahitajika watu `details.needed`, wangekuwepo `details.available`.',
    'Watu wanaoweza kuidhinisha hawatoshi. Alika wengine kwanza.',
    409,
  ],
  approval_changed: [
    'What waits for approval has changed since you read it. `details.changes` says what was and what is; decide again with `details.version`.',
    'Kinachosubiri kuidhinishwa kimebadilika tangu ulipokisoma. `details.changes` inasema kilichokuwepo na kilichopo sasa; amua tena kwa `details.version`.',
    'Kinachosubiri idhini kimebadilika tangu ulipokisoma. Angalia kilichobadilika, kisha uamue tena.',
    409,
  ],
  insufficient_role: [
    'Your role in this business does not allow it: `details.role`. The roles that do are in `details.required_roles`. See /docs/guides/members.',
    'Jukumu lako katika biashara hii haliruhusu hili: `details.role`. Majukumu yanayoruhusu yako kwenye `details.required_roles`. Angalia /docs/guides/members.',
    'Jukumu lako kwenye biashara hii haliruhusu hili. Muulize mmiliki wa biashara.',
    403,
  ],
  insufficient_scope: [
    'The key does not have the scope in `details.required_scope`.',
    'Ufunguo hauna ruhusa iliyotajwa kwenye `details.required_scope`.',
    'Ufunguo huu wa API hauna ruhusa ya kufanya hili.',
  ],
  kyc_required: [
    'The person’s identity must be verified first.',
    'Utambulisho wa mtu huyu unatakiwa kuthibitishwa kwanza.',
    'Utambulisho wako unatakiwa kuthibitishwa kwanza.',
    403,
  ],
  merchant_suspended: [
    'Operators have suspended the live business of the account. The profile gives the reason. Payments that were already started still settle.',
    'Wasimamizi wamesimamisha malipo halisi ya akaunti hii. Wasifu unataja sababu. Malipo yaliyokwisha kuanza yanakamilika.',
    'Biashara imesimamishwa na wasimamizi. Sababu iko kwenye wasifu wako.',
    403,
  ],
  business_not_verified: [
    'The business must be verified first.',
    'Biashara inatakiwa kuthibitishwa kwanza.',
    'Biashara inatakiwa kuthibitishwa kwanza.',
    403,
  ],
  email_not_verified: [
    'A verified e-mail address of the account, for a business of its representative, is required to create or roll a live key, and for a live payout by a signed-in user; a payout by a live key does not require it. `POST /v1/auth/email/resend` mails a code, `POST /v1/auth/email/verify` accepts it.',
    'Barua pepe iliyothibitishwa ya mwenye akaunti, au ya mwakilishi wa biashara, inahitajika ili kuunda au kubadilisha ufunguo halisi, na ili mtu aliyeingia atume pesa halisi; kutuma pesa kwa ufunguo halisi hakuihitaji. `POST /v1/auth/email/resend` inatuma msimbo, `POST /v1/auth/email/verify` inaupokea.',
    'Thibitisha barua pepe yako kwanza: tumekutumia msimbo, na unaweza kuomba mwingine kwenye wasifu wako.',
    403,
  ],
  already_registered: [
    'An account with this e-mail address or phone number already exists. `param` names the field.',
    'Kuna akaunti yenye barua pepe au namba hii ya simu. `param` inataja sehemu hiyo.',
    'Kuna akaunti yenye barua pepe au namba hii ya simu. Ingia kwa akaunti hiyo.',
    409,
  ],
  not_found: [
    'The object does not exist, or is not yours: both get the same answer. With `details.hint` `other_environment` it is yours, in the other environment than the key.',
    'Kitu hicho hakipo, au si chako: jibu ni lilelile. Kukiwa na `details.hint` `other_environment`, ni chako kwenye mazingira mengine kuliko ya ufunguo.',
    'Hakuna kitu hapa, au si chako.',
    404,
  ],
  invalid_state: [
    'The current state does not allow this operation.',
    'Hali ya sasa hairuhusu shughuli hii.',
    'Hili haliwezekani tena: limebadilika tangu ulipoangalia. Pakia ukurasa upya.',
    409,
  ],
  restore_not_compared: [
    'The database was restored from a backup, and the lost time has not been compared with the providers yet.',
    'Hifadhidata imerudishwa kutoka kwenye nakala, na muda uliopotea bado haujalinganishwa na watoa huduma.',
    'Huduma inalinganisha kumbukumbu zake na mtoa huduma. Jaribu tena baadaye.',
    409,
  ],
  cursor_invalid: [
    'The cursor does not belong to this list. Start again without it.',
    'Cursor hiyo si ya orodha hii. Anza upya bila cursor.',
    'Orodha imebadilika. Anza tena kutoka mwanzo wa orodha.',
  ],
  statement_too_long: [
    'A month of more than 10,000 lines is not available as PDF. Request it as `text/csv`.',
    'Mwezi wenye mistari zaidi ya 10,000 haupatikani kama PDF. Uombe kama `text/csv`.',
    'Taarifa ya mwezi huu ni ndefu mno kwa PDF. Pakua kama CSV.',
  ],
  host_not_registered: [
    'Register the host and prove that it is yours (`POST /v1/merchant/redirect-hosts`), then set the URL.',
    'Sajili tovuti na uthibitishe kuwa ni yako (`POST /v1/merchant/redirect-hosts`), kisha weka URL.',
    'Tovuti hii bado haijathibitishwa kuwa ni yako. Ithibitishe kwanza, au tumia tovuti ya biashara yako.',
  ],
  name_reserved: [
    'The name belongs to a network, a bank or a public office. Choose another, or add a word of your own: reviewers check such a name.',
    'Hili ni jina la mtandao, benki au ofisi ya umma. Chagua jingine, au ongeza neno lako: wakaguzi hulikagua jina la aina hiyo.',
    'Hili ni jina la mtandao, benki au ofisi. Chagua jingine, au ongeza neno lako, kama la mji wako.',
  ],
  too_many_objects: [
    'The maximum number of these objects exists. `details` has the number, and the message says how there is room again.',
    'Idadi ya juu ya vitu hivi imefikiwa. `details` ina idadi, na ujumbe unasema jinsi ya kupata nafasi.',
    'Umefikia idadi ya juu. Futa kimoja usichotumia, au kamilisha uthibitisho wako.',
    409,
  ],
  too_many_hosts: [
    'Remove a redirect host that is no longer used.',
    'Ondoa tovuti ya kurudishia wateja ambayo haitumiki tena.',
    'Umefikia kikomo cha tovuti. Ondoa moja usiyoitumia.',
    409,
  ],
  too_many_filters: [
    'You have saved the maximum number of filters of this list. Delete one first.',
    'Umehifadhi idadi ya juu ya vichujio vya orodha hii. Futa kimoja kwanza.',
    'Umefikia kikomo cha vichujio vya orodha hii. Futa kimoja kwanza.',
    409,
  ],
  slug_taken: [
    'The slug is taken. Choose another, or leave it out.',
    'Slug hiyo imeshachukuliwa. Chagua nyingine, au usiitaje.',
    'Anwani hii imeshachukuliwa. Chagua nyingine.',
    409,
  ],
  amount_required: [
    'The payer chooses the amount on this page, so `amount` is required.',
    'Kwenye ukurasa huu mlipaji anachagua kiasi, hivyo `amount` inahitajika.',
    'Weka kiasi.',
  ],
  amount_too_small: [
    'The amount is below the minimum of the page or of a payout, or below TSh 500.',
    'Kiasi ni chini ya kiwango cha chini cha ukurasa au cha kutuma pesa, au chini ya TSh 500.',
    'Kiasi ni kidogo mno. Weka kiasi kikubwa zaidi.',
  ],
  refund_exceeds_payment: [
    'The refund is more than what is left of the payment: `details.refundable`, in TZS.',
    'Kiasi cha kurudisha kinazidi kilichobaki cha malipo: `details.refundable`, kwa TZS.',
    'Kiasi cha kurudisha kinazidi kilichobaki kwenye malipo.',
    409,
  ],
  amount_too_large: [
    'The amount is above the maximum of the page.',
    'Kiasi kinazidi kiwango cha juu cha ukurasa.',
    'Kiasi ni kikubwa mno. Weka kiasi kidogo zaidi.',
  ],
  amount_invalid: [
    'The amount is not a whole number of TZS.',
    'Kiasi si namba kamili ya TZS.',
    'Kiasi lazima kiwe shilingi kamili, bila senti.',
  ],
  amount_mismatch: [
    'The page has a different fixed amount.',
    'Ukurasa una kiasi maalum kilicho tofauti.',
    'Ukurasa huu una kiasi kingine kilichowekwa. Pakia ukurasa upya.',
  ],
  custom_field_required: [
    'The page needs a value for this field: `custom_fields` of `GET /v1/pay/{slug}`.',
    'Ukurasa unahitaji jibu la sehemu hii: `custom_fields` ya `GET /v1/pay/{slug}`.',
    'Jibu sehemu zote za lazima kwenye ukurasa huu.',
  ],
  custom_field_invalid: [
    'The value does not fit the type or the choices of the field.',
    'Jibu halilingani na aina au machaguo ya sehemu.',
    'Jibu halilingani na aina au machaguo ya sehemu.',
  ],
  custom_field_unknown: [
    'The page has no field with this key.',
    'Ukurasa hauna sehemu yenye jina hili.',
    'Ukurasa hauna sehemu yenye jina hili.',
  ],
  currency_unsupported: ['The only currency is TZS.', 'Sarafu ni TZS tu.', 'Tunapokea shilingi za Tanzania (TZS) tu.'],
  max_payments_invalid: [
    'An invoice has `max_payments` 1, and an event must have a `max_payments`.',
    'Ukurasa wa ankara una `max_payments` 1, na ukurasa wa tukio lazima uwe na `max_payments`.',
    'Idadi ya malipo haifai kwa aina hii ya ukurasa: ankara hulipwa mara moja, na tukio lina idadi ya nafasi.',
  ],
  phone_invalid: [
    'The number is not a Tanzanian mobile number.',
    'Namba hii si namba ya simu ya Tanzania.',
    'Hii si namba ya simu ya Tanzania. Andika kama 0754 123 456.',
  ],
  network_unsupported: [
    'Numbers of this network cannot be used here.',
    'Namba za mtandao huu haziwezi kutumika hapa.',
    'Namba za mtandao huu hazitumiki hapa. Tumia namba ya mtandao mwingine.',
  ],
  ...closedCodes,
  test_environment_only: [
    'Only webhooks of test apps can be tested, and only prompts of simulated test payments answered. Live gets real events and real payers only.',
    'Webhook za programu za majaribio pekee ndizo zinazoweza kujaribiwa, na maombi ya malipo ya kuigiza pekee ndiyo yanayoweza kujibiwa. Mazingira halisi yanapata matukio na walipaji halisi tu.',
    'Hili linawezekana kwenye mazingira ya majaribio tu.',
    403,
  ],
  idempotency_key_required: [
    'A payout requires your own key in the header `Idempotency-Key`, so that a repeated request pays only once.',
    'Kutuma pesa kunahitaji ufunguo wako kwenye kichwa `Idempotency-Key`, ili ombi likirudiwa lilipe mara moja tu.',
    'Ombi hili linahitaji `Idempotency-Key`, ili pesa zisitumwe mara mbili.',
  ],
  idempotency_in_progress: [
    'A request with this key is in progress. Try again after `Retry-After` seconds.',
    'Ombi lenye ufunguo huu linaendelea. Jaribu tena baada ya sekunde za `Retry-After`.',
    'Ombi hilihili linaendelea. Subiri kidogo kisha ujaribu tena.',
    409,
  ],
  recipient_exists: [
    'A recipient with this number is saved already. `details.id` names it.',
    'Mpokeaji mwenye namba hii amekwisha kuhifadhiwa. `details.id` inamtaja.',
    'Mpokeaji mwenye namba hii ameshahifadhiwa.',
    409,
  ],
  already_created: [
    'This idempotency key has already created the object in `details.id`. The first answer contained a secret, or has been erased, so it is not repeated. Use a new key to create another object.',
    'Ufunguo huu wa idempotency umeshaunda kitu kilichotajwa kwenye `details.id`. Jibu la kwanza lilikuwa na siri, au limeshafutwa, hivyo halirudiwi. Tumia ufunguo mpya kuunda kingine.',
    'Ombi hili lilishatekelezwa. Angalia kwenye orodha kabla ya kujaribu tena.',
    409,
  ],
  insufficient_balance: [
    'The wallet does not have enough for the amount and the fee. `details.available` gives its balance, or null to those who may not see it.',
    'Salio la pochi halitoshi kwa kiasi na makato. `details.available` inaonyesha salio, au null kwa wasioruhusiwa kuliona.',
    'Salio halitoshi kwa kiasi na makato.',
    402,
  ],
  payouts_on_hold: [
    'Payouts of this account are on hold, and nothing was debited. Either operators are reviewing the account, the provider sent contradictory answers about an earlier payout, or the account owes money (`details.reason`, `details.owed`).',
    'Kutuma pesa kwa akaunti hii kumesimamishwa, na hakuna kilichokatwa. Ama wasimamizi wanaikagua akaunti, ama mtoa huduma anajipinga kuhusu pesa zilizotumwa awali, ama akaunti ina deni (`details.reason`, `details.owed`).',
    'Kutuma pesa kwa akaunti hii kumesimamishwa. Hakuna kilichokatwa.',
    409,
  ],
  payout_must_wait: [
    'The account was changed recently (`details.reason`), so payouts, and what lets others make them, wait until `details.until`. Nothing was debited.',
    'Akaunti imebadilishwa karibuni (`details.reason`), hivyo kutuma pesa, na kuwaruhusu wengine kutuma, kunasubiri hadi `details.until`. Hakuna kilichokatwa.',
    'Kutuma pesa kunasubiri kwa muda baada ya akaunti kubadilishwa, ili mtu mwingine asichukue pesa zako.',
    409,
  ],
  batch_empty: ['The payout batch has no rows.', 'Kundi halina mistari.', 'Faili halina mistari ya malipo.'],
  batch_too_large: [
    'A payout batch has at most 10,000 rows. Split it into several batches.',
    'Kundi lina mistari isiyozidi 10,000. Ligawe katika makundi kadhaa.',
    'Kundi moja lina mistari 10,000 tu. Ligawe kwenye mafaili kadhaa.',
  ],
  csv_header_invalid: [
    'One of the first 20 lines of the file must name its columns. `details.missing`, `details.twice` and `details.unknown` list what is wrong.',
    'Mmoja wa mistari 20 ya kwanza ya faili lazima utaje safu zake. `details.missing`, `details.twice` na `details.unknown` zinaonyesha kosa.',
    'Mstari ulio mwanzoni mwa faili lazima utaje safu zake. Tumia mfano wa faili.',
  ],
  csv_invalid: [
    'The file is not valid CSV near `details.line`: a quote is not closed, or stands inside a cell.',
    'Faili si CSV sahihi karibu na `details.line`: alama ya nukuu haijafungwa, au iko ndani ya seli.',
    'Faili halisomeki kama CSV: alama ya nukuu haijafungwa, au iko ndani ya neno.',
  ],
  csv_line_too_long: [
    'A line of the file is longer than 16,384 characters.',
    'Mstari mmoja wa faili unazidi herufi 16,384.',
    'Mstari mmoja wa faili ni mrefu mno. Ufupishe.',
  ],
  file_encoding_unsupported: [
    'The file is not text in UTF-8, or in UTF-16 with its mark. Save it as "CSV UTF-8", and send that file.',
    'Faili si maandishi ya UTF-8, wala ya UTF-16 yenye alama yake. Lihifadhi kama "CSV UTF-8", kisha utume faili hilo.',
    'Faili si maandishi ya UTF-8. Lihifadhi kama "CSV UTF-8", kisha ulitume.',
  ],
  file_type_unsupported: [
    'The file is an archive, a workbook, a web page or a PDF, not a CSV file. Save the sheet as "CSV UTF-8", and send that file.',
    'Faili ni kifurushi, kitabu cha Excel, ukurasa wa wavuti au PDF, si CSV. Hifadhi jedwali kama "CSV UTF-8", kisha utume faili hilo.',
    'Hili si faili la CSV. Hifadhi jedwali kama "CSV UTF-8", kisha ulitume.',
  ],
  proposal_changed: [
    'The proposal for the break has changed. Read it again.',
    'Pendekezo kuhusu tofauti limebadilika. Lisome tena.',
    'Pendekezo limebadilika. Lisome tena.',
    409,
  ],
  self_approval_forbidden: [
    'Another operator must decide, because you made the request or the money is yours.',
    'Msimamizi mwingine lazima aamue, kwa sababu ombi ni lako au pesa ni zako.',
    'Uliomba hili mwenyewe, au pesa ni zako. Mtu mwingine lazima aamue.',
    403,
  ],
  phone_busy: [
    'A payment request of this page is open on this phone, or the phone got too many requests (`details.reason`). Wait for `Retry-After` seconds.',
    'Kuna ombi la malipo la ukurasa huu ambalo halijajibiwa kwenye simu hii, au simu imepata maombi mengi mno (`details.reason`). Subiri sekunde za `Retry-After`.',
    'Simu hii ina ombi jingine la malipo. Lijibu, au subiri kidogo kisha ujaribu tena.',
    429,
  ],
  idempotency_key_reused: [
    'The key was used with a different body, or for a payout batch that was deleted. Use a new key for a new payment or batch. Checkouts are public, so their keys must be random.',
    'Ufunguo huu ulishatumika kwa mwili tofauti, au kwa kundi la malipo lililofutwa. Tumia ufunguo mpya kwa malipo au kundi jipya. Mtu yeyote anaweza kuanzisha malipo kwenye ukurasa, hivyo funguo zake lazima zisiweze kukisiwa.',
    'Ombi hili limebadilika tangu lilipotumwa. Pakia ukurasa upya, na uangalie kama limefanyika.',
    422,
  ],
  webhook_limit_reached: [
    'The owner has reached the maximum number of webhooks in this environment (`details.limit`).',
    'Mwenye akaunti amefikia idadi ya juu ya webhook kwenye mazingira haya (`details.limit`).',
    'Umefikia kikomo cha webhook. Ondoa moja usiyoitumia.',
    409,
  ],
  url_malformed: [
    'The webhook URL cannot be parsed.',
    'URL ya webhook haieleweki.',
    'Anwani ya webhook si sahihi. Andika kama https://example.com/webhook.',
  ],
  url_too_long: [
    'The webhook URL is longer than 2048 characters.',
    'URL ya webhook inazidi herufi 2048.',
    'Anwani ya webhook ni ndefu mno. Mwisho ni herufi 2048.',
  ],
  url_not_https: [
    'The webhook URL must use https.',
    'URL ya webhook lazima itumie https.',
    'Anwani ya webhook lazima ianze na https.',
  ],
  url_has_credentials: [
    'The webhook URL must not contain a user name or password.',
    'URL ya webhook isiwe na jina la mtumiaji wala nenosiri.',
    'Ondoa jina la mtumiaji na nenosiri kwenye anwani ya webhook.',
  ],
  url_has_fragment: [
    'The webhook URL must not contain a fragment.',
    'URL ya webhook isiwe na sehemu inayoanza na #.',
    'Ondoa sehemu inayoanza na # kwenye anwani ya webhook.',
  ],
  url_ip_literal: [
    'The webhook URL must use a host name, not an IP address.',
    'URL ya webhook lazima itumie jina la tovuti, si anwani ya IP.',
    'Tumia jina la tovuti kwenye anwani ya webhook, si anwani ya IP.',
  ],
  url_port_forbidden: [
    'The webhook URL has a port below 1024 other than 443, or the port of another well-known service.',
    'URL ya webhook ina mlango (port) chini ya 1024 usio 443, au mlango wa huduma nyingine inayojulikana.',
    'Mlango (port) huu hauruhusiwi kwenye anwani ya webhook. Tumia 443.',
  ],
  url_own_host: [
    'The webhook URL points to this service.',
    'URL ya webhook inaelekea kwenye huduma hii yenyewe.',
    'Anwani ya webhook inaelekea kwenye huduma hii yenyewe. Tumia seva yako.',
  ],
  url_not_resolvable: [
    'The host name of the webhook URL has no address.',
    'Jina la tovuti kwenye URL ya webhook halina anwani.',
    'Jina la tovuti kwenye anwani ya webhook halipatikani. Angalia kama limeandikwa vizuri.',
  ],
  url_private_target: [
    'The host name of the webhook URL leads to an address outside the public internet.',
    'Jina la tovuti kwenye URL ya webhook linaelekea kwenye anwani isiyo ya intaneti ya umma.',
    'Anwani ya webhook haifikiki kwenye intaneti ya umma. Tumia seva inayofikika.',
  ],
  student_id_required: [
    'Add your student number first, with `PATCH /v1/me`: it is kept with your verification and with each business that you register.',
    'Weka kwanza namba yako ya mwanafunzi, kwa `PATCH /v1/me`: inatunzwa pamoja na uthibitisho wako na kila biashara unayosajili.',
    'Weka kwanza namba yako ya mwanafunzi kwenye wasifu wako.',
    403,
  ],
  representative_kyc_required: [
    'The identity of the representative (`representative.user_id`) must be verified before the business is submitted. If they stop being an owner, another owner becomes the representative.',
    'Utambulisho wa mwakilishi (`representative.user_id`) unatakiwa kuthibitishwa kabla ya biashara kuwasilishwa. Akiacha kuwa mmiliki, mmiliki mwingine anakuwa mwakilishi.',
    'Utambulisho wa mwakilishi wa biashara hii unatakiwa kuthibitishwa kwanza, kwenye akaunti yake.',
    403,
  ],
  business_already_verified: [
    'The business is verified and cannot be submitted or changed again, unless operators end its verification.',
    'Biashara imeshathibitishwa: haiwezi kuwasilishwa wala kubadilishwa tena, isipokuwa wasimamizi wakiondoa uthibitisho.',
    'Biashara iliyothibitishwa haibadilishwi. Taarifa zikibadilika, tuombe tuondoe uthibitisho: malipo halisi husimama hadi mpya.',
    409,
  ],
  kyb_not_submitted: [
    'The business has not submitted its documents yet.',
    'Biashara bado haijawasilisha hati zake.',
    'Biashara bado haijawasilisha hati zake.',
    409,
  ],
  kyc_not_submitted: [
    'The person has not submitted their documents yet.',
    'Mtu huyu bado hajawasilisha hati zake.',
    'Mtu huyu bado hajawasilisha hati zake.',
    409,
  ],
  documents_not_opened: [
    'Open every document before you decide. `details.purposes` lists those you have not opened.',
    'Fungua kila hati kabla ya kuamua. `details.purposes` inataja ambazo hujafungua.',
    'Fungua kila hati kabla ya kuamua: mojawapo hujaifungua ilivyo sasa.',
    409,
  ],
  self_review_forbidden: [
    'You cannot decide about your own account or business. Another reviewer must decide.',
    'Huwezi kuamua kuhusu akaunti au biashara yako mwenyewe. Mkaguzi mwingine lazima aamue.',
    'Huwezi kuamua kuhusu akaunti au biashara yako. Mkaguzi mwingine lazima aamue.',
    403,
  ],
  review_claimed: [
    'Another operator is working on this case. Ask them, or have it released.',
    'Msimamizi mwingine anashughulikia suala hili. Muulize, au omba liachiwe.',
    'Msimamizi mwingine anashughulikia suala hili. Muulize, au omba aliachie.',
    409,
  ],
  review_version_changed: [
    'The case has changed since you read it. `details.version` is the newest version.',
    'Suala hili limebadilika tangu ulisome. `details.version` ni toleo jipya zaidi.',
    'Suala hili limebadilika tangu ulipolisoma. Lisome tena.',
    409,
  ],
  unsupported_document_type: [
    'Documents must be JPEG, PNG or PDF. Save a HEIC picture of a phone as JPEG first.',
    'Hati lazima ziwe JPEG, PNG au PDF. Picha ya simu ya aina ya HEIC ihifadhi kwanza kama JPEG.',
    'Hati lazima iwe JPEG, PNG au PDF. Picha ya HEIC ihifadhi kwanza kama JPEG.',
  ],
  filename_extension_mismatch: [
    'The extension of the file name does not match the content type.',
    'Mwisho wa jina la faili haulingani na aina yake.',
    'Mwisho wa jina la faili haulingani na aina yake.',
  ],
  document_url_invalid: [
    'The URL is not one that you were given for this purpose.',
    'URL hii si uliyopewa kwa matumizi haya.',
    'Hati hii haikupakiwa hapa. Ipakie tena.',
  ],
  document_not_uploaded: [
    'No file was uploaded to the URL, or the file was refused.',
    'Hakuna faili lililopakiwa kwenye URL, au faili lilikataliwa.',
    'Hakuna faili lililopakiwa, au lilikataliwa. Lipakie tena.',
  ],
  document_unreadable: [
    'The file was stored but cannot be opened. Upload another one.',
    'Faili limehifadhiwa lakini halifunguki. Pakia jingine.',
    'Faili halifunguki. Linahitajika jingine.',
    409,
  ],
  document_content_mismatch: [
    'The content of the file does not match its declared type. A HEIC picture is no JPEG, whatever its name says: save it as JPEG.',
    'Yaliyomo kwenye faili hayalingani na aina iliyotajwa. Picha ya HEIC si JPEG hata ikiwa na jina hilo: ihifadhi kama JPEG.',
    'Yaliyomo kwenye faili hayalingani na aina yake. Pakia faili jingine; picha ya HEIC ihifadhi kama JPEG.',
  ],
  document_active_content: [
    'The PDF contains scripts, actions or embedded files.',
    'PDF ina programu, vitendo au mafaili ndani yake.',
    'PDF ina programu au mafaili ndani yake. Pakia nakala isiyo nayo.',
  ],
  document_encrypted: [
    'The PDF opens only with a password, or hides its structure. A password that only forbids changes is no hindrance.',
    'PDF haifunguki bila nenosiri, au inaficha muundo wake. Nenosiri linalozuia mabadiliko tu si tatizo.',
    'PDF imefungwa kwa nenosiri. Pakia nakala isiyofungwa, au picha yake.',
  ],
  document_too_complex: [
    'The file has too many pages or pixels to be opened.',
    'Faili lina kurasa au pikseli nyingi mno kufunguliwa.',
    'Faili lina kurasa nyingi au picha kubwa mno. Pakia dogo zaidi.',
  ],
  document_infected: [
    'The virus scanner found malware in the file.',
    'Kikagua virusi kimekuta programu hatari kwenye faili.',
    'Faili lina virusi. Pakia jingine.',
  ],
  logo_invalid: [
    'The picture cannot be used as a logo. The message says why: its type, its size in pixels, or that it cannot be opened.',
    'Picha haiwezi kutumika kama nembo. Ujumbe unasema kwa nini: aina yake, ukubwa wake kwa pikseli, au kwamba haifunguki.',
    'Picha hii haiwezi kuwa nembo. Tumia PNG, JPEG au WebP yenye upande wa pikseli 48 au zaidi, isiyo ndefu kupita mara nne ya upana wake.',
  ],
  logo_removed: [
    'Operators have removed the same logo. Read the reason in `removal`, and send another picture.',
    'Wasimamizi wameondoa nembo hiyo hiyo. Soma sababu kwenye `removal`, kisha tuma picha nyingine.',
    'Nembo hii iliondolewa na wasimamizi. Soma sababu, kisha weka nyingine.',
    409,
  ],
  document_too_large: [
    'The file is larger than `max_bytes`.',
    'Faili linazidi `max_bytes`.',
    'Faili ni kubwa mno. Pakia dogo zaidi.',
    413,
  ],
  upload_too_slow: [
    'The file did not arrive in time. Send it again to the same URL.',
    'Faili halikufika kwa wakati. Litume tena kwenye URL ileile.',
    'Faili halikufika kwa wakati. Litume tena.',
    408,
  ],
  upload_cut: [
    'The connection ended before the whole file arrived. Send it again to the same URL.',
    'Mawasiliano yamekatika kabla faili lote kufika. Litume tena kwenye URL ileile.',
    'Mtandao umekatika kabla faili lote kufika. Litume tena.',
  ],
  signature_required: [
    'Documents can be opened only with a signed URL.',
    'Hati hufunguliwa kwa URL iliyotiwa sahihi tu.',
    'Hati hufunguliwa kwa kiungo maalumu tu. Ifungue tena.',
    403,
  ],
  signature_invalid: [
    'The signed URL was changed, or was used for a different request than it was issued for.',
    'URL iliyotiwa sahihi imebadilishwa, au imetumika kwa ombi tofauti na lililokusudiwa.',
    'Kiungo cha hati si sahihi. Ifungue tena.',
    403,
  ],
  address_used: [
    'The signed URL has expired or was already used.',
    'URL iliyotiwa sahihi imepitwa na wakati, au imeshatumika.',
    'Kiungo cha hati kimepitwa na wakati au kimeshatumika. Anza tena.',
    403,
  ],
  not_your_view: [
    'The URL works only in the session that requested it.',
    'URL inafanya kazi kwa mtu aliyeiomba tu, wakati yumo ndani.',
    'Kiungo hiki kinafanya kazi kwa aliyekiomba tu.',
  ],
  storage_unavailable: [
    'Documents cannot be stored or read at the moment. Nothing has changed.',
    'Hati haziwezi kuhifadhiwa wala kusomwa kwa sasa. Hakuna kilichobadilika.',
    'Hati haziwezi kuhifadhiwa wala kusomwa kwa sasa. Jaribu tena baada ya muda mfupi.',
    503,
  ],
  scanner_unavailable: [
    'Documents cannot be scanned at the moment. Nothing has changed.',
    'Hati haziwezi kukaguliwa kwa sasa. Hakuna kilichobadilika.',
    'Hati haziwezi kukaguliwa kwa sasa. Jaribu tena baada ya muda mfupi.',
    503,
  ],
  provider_unavailable: [
    'Mobile money cannot be reached, or is switched off. Nothing was stored, sent or debited. Try again after `Retry-After` seconds.',
    'Malipo kwa simu hayapatikani, au yamezimwa. Hakuna kilichohifadhiwa, kutumwa wala kukatwa. Jaribu tena baada ya sekunde za `Retry-After`.',
    'Malipo kwa simu hayapatikani kwa sasa. Hakuna pesa iliyokatwa. Jaribu tena baada ya dakika chache.',
    503,
  ],
  network_unavailable: [
    'The network in `details.network` is switched off. Nothing was stored or sent. Use another network, or wait for `Retry-After` seconds.',
    'Mtandao uliotajwa kwenye `details.network` umezimwa. Hakuna kilichohifadhiwa wala kutumwa. Tumia mtandao mwingine, au subiri sekunde za `Retry-After`.',
    'Mtandao huu haupatikani kwa sasa. Tumia mtandao mwingine, au jaribu tena baadaye.',
    503,
  ],
  invalid_signature: [
    'The signature of a provider’s message is wrong.',
    'Sahihi ya ujumbe wa mtoa huduma si sahihi.',
    'Sahihi ya ujumbe wa mtoa huduma si sahihi.',
  ],
  event_changed: [
    'A provider sent the same event id with a different body.',
    'Mtoa huduma ametuma id ileile ya tukio kwa mwili tofauti.',
    'Mtoa huduma ametuma tukio lilelile kwa maudhui tofauti.',
  ],
  not_ready: [
    'The process is not ready for traffic.',
    'Seva bado haiko tayari kupokea maombi.',
    'Huduma inaanza. Jaribu tena baada ya muda mfupi.',
    503,
  ],
  overloaded: [
    'The service is temporarily unavailable. Try again after `Retry-After` seconds.',
    'Huduma haipatikani kwa muda. Jaribu tena baada ya sekunde za `Retry-After`.',
    'Shughuli ni nyingi kwa sasa. Jaribu tena baada ya muda mfupi.',
  ],
  internal_error: [
    'An internal error. Quote the request id if you contact us.',
    'Kuna hitilafu upande wetu. Ukiwasiliana nasi, tutajie namba ya ombi (request id).',
    'Kuna hitilafu upande wetu. Hakuna kilichopotea. Jaribu tena, au tutajie namba ya ombi.',
  ],
} as const satisfies Record<string, Meaning>

/** The own sentences of fields, by their English text: a refused field has them as `message_sw`. */
export const fieldSentences: Readonly<Record<string, string>> = {
  'An account has one balance: send `payouts`.': 'Akaunti ina salio moja: tuma `payouts`.',
  'This field is required.': 'Sehemu hii inahitajika.',
  'At most 20 entries.': 'Visizidi 20.',
  'Control characters and line breaks are not allowed here.': 'Andika kwenye mstari mmoja, bila alama zisizoonekana.',
  'Control characters are not allowed here.': 'Ondoa alama zisizoonekana.',
  'The year must be between 1 and 9999.': 'Mwaka uwe kati ya 1 na 9999.',
  'Enter the number as it is printed on the card.': 'Andika namba kama ilivyo kwenye kitambulisho.',
  'Use the format 2026-01.': 'Andika kama 2026-01.',
  'Enter the six digits from the mail.': 'Andika tarakimu sita ulizotumiwa kwa barua pepe.',
  'You have no second factor. Send your password.': 'Huna programu ya uthibitisho. Andika nenosiri lako.',
  'You have a second factor. Send a code from it.': 'Una programu ya uthibitisho. Andika msimbo wake.',
  'The cookie already holds the token. Remove this field.': 'Taarifa hii iko tayari kwenye kivinjari. Iondoe hapa.',
  'Send either a code or your password, not both.': 'Andika msimbo au nenosiri, si vyote viwili.',
  'Enter a valid e-mail address, such as name@example.com.': 'Andika barua pepe sahihi, kama jina@example.com.',
  'Enter a valid mobile number, such as +255712345678.': 'Andika namba sahihi ya simu, kama 0712 345 678.',
  'Must be in the future.': 'Chagua muda ujao.',
  'Use an IPv4 or IPv6 address, or a network such as 203.0.113.0/24.':
    'Tumia anwani ya IPv4 au IPv6, au mtandao kama 203.0.113.0/24.',
  'Not a valid id for this field.': 'Kitambulisho hiki si sahihi.',
  'The query and the body have different values. Send one.': 'Kuna maadili mawili tofauti. Tuma moja tu.',
  'Enter at least one visible character.': 'Andika angalau herufi moja inayoonekana.',
  'Too many marks on one letter.': 'Alama ni nyingi mno kwenye herufi moja.',
  'Send text or a whole number. Send a decimal as text, such as "2.5".':
    'Tuma maandishi au namba kamili. Desimali itume kama maandishi, mfano "2.5".',
  'Use a day of the years 2000 to 2099.': 'Chagua siku ya mwaka 2000 hadi 2099.',
  'Enter at least two characters.': 'Andika angalau herufi mbili.',
  'Use an https URL without user name, spaces or control characters.':
    'Tumia anwani ya https isiyo na jina la mtumiaji wala nafasi.',
  'The header and the body contain different keys. Send one key.': 'Kuna funguo mbili tofauti. Tuma moja tu.',
  'Not a valid payment reference.': 'Hii si namba ya kumbukumbu ya malipo.',
  'Send `merchant_reference` or `reference`, its older name; both have different values.':
    'Tuma `merchant_reference` au `reference`, jina lake la zamani; zina thamani tofauti.',
  'Use a whole number, digits only.': 'Tumia namba kamili, tarakimu tu.',
  'Use 1 to 40 of A–Z, a–z, 0–9, _ and -.': 'Tumia herufi 1 hadi 40: A–Z, a–z, 0–9, _ na -.',
  'Use 1 to 40 of a–z, 0–9 and _, starting with a letter.': 'Tumia herufi 1 hadi 40: a–z, 0–9 na _. Ianze na herufi.',
  'Set at least one filter.': 'Weka angalau kichujio kimoja.',
  'Send either period, or from and to.': 'Tuma `period`, au `from` na `to`.',
  'Use a day that is not before from.': 'Chagua siku isiyotangulia ya kwanza.',
  'Use an amount that is not below the smallest.': 'Weka kiasi kisichopungua kile cha chini.',
  'This page does not exist.': 'Ukurasa huu haupo.',
  'Each choice must be different.': 'Kila chaguo liwe tofauti.',
  'Each key must be different.': 'Kila ufunguo uwe tofauti.',
  'Write the number with its country code, such as +255754123456.': 'Andika namba pamoja na msimbo wa nchi, mfano +255754123456.',
  'Write the colour as # and six hexadecimal digits, such as #0a6148.':
    'Andika rangi kama # na herufi sita za 0–9 na a–f, mfano #0a6148.',
  'Use letters, digits, points and underscores.': 'Tumia herufi, tarakimu, nukta na mistari ya chini.',
  'Enter the reason. The owner reads this text.': 'Andika sababu. Mmiliki ataisoma.',
  'There is no such provider in this environment.': 'Hakuna mtoa huduma kama huyu kwenye mazingira haya.',
  'This provider cannot list its records. Use `recent`.': 'Mtoa huduma huyu hawezi kuorodhesha kumbukumbu zake. Tumia `recent`.',
  'Send a day with a daily run, and only with a daily run.': 'Taja siku kwa ulinganishi wa siku tu.',
  'This payment does not exist in the environment of the break.': 'Malipo haya hayapo kwenye mazingira ya tofauti hii.',
  'This month has not started yet. Choose an earlier one.': 'Mwezi huu bado haujaanza. Chagua wa nyuma.',
  'Send either the changes of the row, or `removed`.': 'Badilisha mstari au uuondoe, si vyote viwili.',
  'This is not a Tanzanian phone number.': 'Hii si namba ya simu ya Tanzania. Andika kama 0754 123 456.',
  'Put a value of your own in the place of {{…}}, a new one for each request.':
    'Weka thamani yako badala ya {{…}}, mpya kwa kila ombi.',
  'Use 1 to 255 printable ASCII characters.': 'Tumia herufi 1 hadi 255 za kawaida (ASCII).',
  'Must be later than `from`.': 'Mwisho uwe baada ya mwanzo.',
  'Events can be sent again for 30 days only. Choose a later start.':
    'Matukio hutumwa tena kwa siku 30 tu. Chagua mwanzo wa karibu zaidi.',
  'Enter the number as it is printed on the card: letters, digits, hyphens.':
    'Andika namba kama ilivyo kwenye kitambulisho: herufi, tarakimu na vistari.',
  'This user is not an operator.': 'Mtu huyu si msimamizi wa huduma.',
  'Enter the reason for the rejection. The owner reads this text.': 'Andika sababu ya kukataa. Mmiliki ataisoma.',
  'Send the number of your identity card.': 'Andika namba ya kitambulisho chako.',
  'This field may be blank only for an informal sole_proprietor.': 'Sehemu hii inaachwa wazi kwa mtu binafsi asiyesajiliwa tu.',
  'Enter a valid phone number, such as +255222112345.': 'Andika namba sahihi ya simu, kama 022 211 2345.',
  'Set an amount, or let the payer choose it with allow_custom_amount.': 'Weka kiasi, au mruhusu mlipaji akichague.',
  'An invoice is paid once. Set max_payments to 1, or leave it out.':
    'Ankara hulipwa mara moja. Weka idadi ya malipo kuwa 1, au iache.',
  'An event has a limited number of places. Set max_payments.': 'Tukio lina idadi ya nafasi. Weka idadi ya malipo.',
  'Use 3 to 60 of a–z, 0–9 and hyphens, with no hyphen at the start or end.':
    'Tumia herufi 3 hadi 60: a–z, 0–9 na vistari, bila kistari mwanzoni au mwishoni.',
  'Pages are in TZS only.': 'Kurasa ni za shilingi (TZS) tu.',
  'Send id or slug, not both. A slug cannot be changed.': 'Tumia id au slug, si vyote viwili. Slug haibadilishwi.',
  'Send the id or the slug of the page.': 'Taja id au slug ya ukurasa.',
  'Use a file name without slashes and control characters.': 'Tumia jina la faili lisilo na mikwaju (/).',
}

const fieldCodes: Readonly<Record<string, string>> = {
  mistyped: 'Hakuna malipo yenye namba hii, na herufi yake ya mwisho hailingani na nyingine. Angalia kama kuna kosa la kuandika.',
  password_common:
    'Nenosiri hili liko kwenye orodha za manenosiri yanayojulikana, au karibu sawa nalo. Chagua jingine: sentensi ni nzuri.',
  password_personal:
    'Nenosiri hili limetokana na jina lako, barua pepe, namba ya simu au jina letu. Chagua jingine: sentensi ni nzuri.',
  password_guessable:
    'Nenosiri hili linakisiwa haraka: marudio, safu za vitufe na miaka havisaidii. Chagua jingine: sentensi ni nzuri.',
}

const swahili: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(errorCodes).map(([code, [, , message]]) => [code, message])),
  ...fieldCodes,
  ...fieldSentences,
}

/** What the code means and what to do about it; empty if it is not a code of the API. */
export function meaningOf(code: string): string {
  return code in errorCodes ? errorCodes[code as keyof typeof errorCodes][0] : ''
}

/** The Swahili sentence of a code, or of the own sentence of a field; undefined if there is none. */
export function swahiliOf(codeOrSentence: string): string | undefined {
  return swahili[codeOrSentence]
}
