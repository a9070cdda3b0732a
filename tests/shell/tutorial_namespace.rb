# Tables in a namespace of their own.
create_namespace 'shop'
create 'shop:orders', 'f'
put 'shop:orders', 'o1', 'f:total', '12.50', 1
scan 'shop:orders'
list_namespace_tables 'shop'
disable 'shop:orders'
drop 'shop:orders'
drop_namespace 'shop'
list_namespace 'shop'
