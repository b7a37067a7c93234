/**
 * The words people choose most, and so the first that are tried. Lower case, without surrounding digits and signs:
 * `Password1!` is `password` (see `refuse-common-password.ts`). Our own collection, by theme.
 */
const words = `
password passwort passwords passphrase passcode mypassword thepassword yourpassword newpassword oldpassword
defaultpassword default changeme changeit changethis pleasechange letmein letmeinnow openup opensesame secret secrets
topsecret mysecret supersecret secure security private access accessgranted allow login logon signin signon account
username userpass user users guest guests welcome welcomehome welcomeback hello hellohello helloworld hithere goodbye
admin admins administrator adminadmin administrador root rootroot toor superuser superadmin sysadmin system sysop
manager master masterkey masterpass operator owner staff employee office company business work worker server servers
database oracle mysql postgres postgresql redis mongodb docker kubernetes ubuntu debian linux windows microsoft apple
google facebook twitter instagram youtube amazon netflix github gitlab gateway proxy router network internet computer
laptop desktop keyboard monitor printer test tests tester testing testtest testpass testuser temp temporary demo
demodemo sample example examples dummy foobar foobarbaz placeholder nothing nopassword nopass none null undefined blank
empty whatever anything something someone nobody unknown qwerty qwertyui qwertyuiop qwertz azerty asdf asdfgh asdfghjk
asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc wasd poiuytrewq lkjhgfdsa mnbvcxz abcdef abcdefg abcdefgh abcabc abcd aabbcc
dragon dragons monkey monkeys tiger tigers lion lions panther eagle eagles falcon hawk phoenix wolf wolves bear bears
horse horses butterfly dolphin dolphins shark sharks turtle rabbit bunny kitty kitten kittens puppy puppies doggy dogs
cats fish spider scorpion snake cobra viper mustang ferrari porsche corvette camaro mercedes harley yamaha honda toyota
football soccer baseball basketball hockey tennis golf golfer rugby cricket volleyball swimming fishing hunter hunting
racing runner player gamer games gaming pokemon pikachu minecraft fortnite zelda mario sonic nintendo playstation xbox
starcraft warcraft counterstrike superman batman spiderman ironman wonderwoman avengers starwars startrek skywalker
darthvader yoda gandalf frodo hobbit matrix neo trinity morpheus hogwarts harrypotter dumbledore gryffindor
love lover lovers loveme loveyou iloveyou iloveu ilovegod ilovemyself mylove truelove sweetheart sweetie honey darling
baby babygirl babyboy princess prince queen king kings angel angels devil heaven hell jesus jesuschrist christ god
godisgood blessed blessing faith hope peace grace happy happiness smile sunshine sunflower flower flowers rose roses
lily daisy jasmine cherry peaches banana bananas orange apples strawberry chocolate cookie cookies candy sugar cheese
pizza coffee beer whiskey vodka summer winter spring autumn fall january february march april may june july august
september october november december monday tuesday wednesday thursday friday saturday sunday christmas easter
birthday holiday vacation weekend america canada england london paris berlin germany france spain italy europe africa
australia india china japan mexico brazil texas florida california chicago newyork boston dallas liverpool chelsea
arsenal manchester barcelona realmadrid juventus yankees cowboys steelers lakers michael michelle jennifer jessica
jessie ashley amanda nicole daniel danielle matthew anthony andrew joshua jordan charlie george thomas robert william
richard joseph steven patrick benjamin samuel samantha victoria elizabeth alexander alexandra christian christopher
nicholas natalie stephanie melissa rebecca rachel hannah sophie maria martin martina peter andrea thunder lightning
storm shadow darkness midnight moonlight starlight rainbow diamond diamonds silver golden gold platinum money dollar
million millionaire rich lucky luckyone winner champion legend hero warrior soldier ninja samurai pirate knight killer
hacker hackme cracker trustno trustme believe freedom liberty forever together always friend friends family mother
father mommy daddy brother sister music guitar piano rockstar metallica nirvana eminem beatles blink purple yellow
orange green blue black white crimson scarlet violet magic wizard witch vampire zombie monster cheater biteme fuckyou
fuckoff asshole bitch sexy hottie pussy dick correcthorse correcthorsebattery correcthorsebatterystaple batterystaple
localhost localdomain
`;

export const commonPasswords: ReadonlySet<string> = new Set(words.trim().split(/\s+/));
